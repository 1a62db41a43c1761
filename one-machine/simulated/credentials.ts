/** The secrets of a simulated cluster: made at the first start, kept for the later ones, readable by the owner only. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../processes/write-whole.ts'

export interface Credentials {
  readonly token: string
  readonly tokenFile: string
  readonly serviceAccountKeyFile: string
}

/** An admin's token and the key that signs service account tokens, in the data directory. */
export function readOrMakeCredentials(dataDir: string): Credentials {
  const tokenFile = join(dataDir, 'tokens.csv')
  const serviceAccountKeyFile = join(dataDir, 'service-account.key')
  if (tokenIn(tokenFile) === '') {
    const token = randomBytes(32).toString('base64url')
    writeWhole(tokenFile, `${token},admin,admin,system:masters\n`, 0o600)
  }
  if (!existsSync(serviceAccountKeyFile)) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    writeWhole(serviceAccountKeyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600)
  }
  return { token: tokenIn(tokenFile), tokenFile, serviceAccountKeyFile }
}

/** '' without a file, and for one that a kill of an earlier release cut short. */
const tokenIn = (file: string): string =>
  /^([\w-]+),admin,admin,system:masters\n$/.exec(existsSync(file) ? readFileSync(file, 'utf8') : '')?.[1] ?? ''

/** A kubeconfig for one cluster and its admin; `certificateFile` is the one the api server presents. */
export function writeKubeconfig(file: string, port: number, certificateFile: string, token: string): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'svc', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': certificateFile } },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'svc', context: { cluster: 'svc', user: 'admin' } }],
    'current-context': 'svc',
  }
  writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 })
}
