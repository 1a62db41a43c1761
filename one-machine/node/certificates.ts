/** The node's own certificate authority, the certificates it signs, and the kubeconfigs that carry them. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { NodeNetwork } from './network.ts'

const run = promisify(execFile)
const DAYS = '3650'
export const NODE = 'node-1'
/** The common name of the API server when it calls aggregated APIs on behalf of its callers. */
export const FRONT_PROXY = 'front-proxy'
/** The Service in kube-system by which it finds the use of pods. */
export const USAGE_SERVICE = 'svc-usage'

/** File name to subject, and the names of a server. The certificates are valid for this machine only. */
function wanted(network: NodeNetwork): Record<string, { subject: string; names?: string }> {
  const api = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    'localhost',
  ]
  const apiNames = [
    ...api.map((name) => `DNS:${name}`),
    'IP:127.0.0.1',
    `IP:${network.nodeAddress}`,
    `IP:${network.apiServiceAddress}`,
  ]
  return {
    apiserver: { subject: '/CN=kube-apiserver', names: apiNames.join(',') },
    'apiserver-kubelet': { subject: '/O=system:masters/CN=apiserver-kubelet' },
    'front-proxy': { subject: `/CN=${FRONT_PROXY}` },
    admin: { subject: '/O=system:masters/CN=admin' },
    'controller-manager': { subject: '/CN=system:kube-controller-manager' },
    scheduler: { subject: '/CN=system:kube-scheduler' },
    'kube-proxy': { subject: '/CN=system:kube-proxy' },
    ingress: { subject: '/CN=svc:ingress' },
    metrics: { subject: '/CN=svc:metrics', names: `DNS:${USAGE_SERVICE}.kube-system.svc` },
    git: {
      subject: '/CN=svc:git',
      names: `IP:127.0.0.1,IP:${network.hostAddress},DNS:localhost,DNS:host.internal`,
    },
    kubelet: {
      subject: `/O=system:nodes/CN=system:node:${NODE}`,
      names: `DNS:${NODE},IP:${network.nodeAddress},IP:127.0.0.1`,
    },
  }
}

/** Makes every missing certificate in `<nodeDir>/pki` (ECDSA P-256, ten years), and all kubeconfigs, mode 0600. */
export async function makeCertificates(nodeDir: string, network: NodeNetwork): Promise<void> {
  const pki = join(nodeDir, 'pki')
  await mkdir(pki, { recursive: true, mode: 0o700 })
  await makeAuthority(pki, network.name)
  await Promise.all(
    Object.entries(wanted(network)).map(([name, { subject, names }]) => makeCertificate(pki, name, subject, names)),
  )
  const users = ['admin', 'controller-manager', 'scheduler', 'kube-proxy', 'kubelet', 'ingress']
  await Promise.all(users.map((user) => writeKubeconfig(nodeDir, user, network)))
}

async function makeAuthority(pki: string, name: string): Promise<void> {
  if (!existsSync(join(pki, 'ca.crt'))) {
    await makeKey(join(pki, 'ca.key'))
    const extensions = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign,digitalSignature']
    const made = join(pki, 'ca.crt.new')
    await run('openssl', [
      'req',
      '-x509',
      '-new',
      '-key',
      join(pki, 'ca.key'),
      '-days',
      DAYS,
      '-subj',
      `/CN=${name}-ca`,
      '-out',
      made,
      ...extensions.flatMap((line) => ['-addext', line]),
    ])
    await rename(made, join(pki, 'ca.crt'))
  }
  if (existsSync(join(pki, 'sa.pub'))) return
  await makeKey(join(pki, 'sa.key'))
  await run('openssl', ['pkey', '-in', join(pki, 'sa.key'), '-pubout', '-out', join(pki, 'sa.pub.new')])
  await rename(join(pki, 'sa.pub.new'), join(pki, 'sa.pub'))
}

async function makeCertificate(pki: string, name: string, subject: string, names: string | undefined): Promise<void> {
  const [key, request, extensions, made] = ['key', 'csr', 'ext', 'new'].map((end) => join(pki, `${name}.${end}`)) as [
    string,
    string,
    string,
    string,
  ] // four ends, four files
  if (existsSync(join(pki, `${name}.crt`))) return
  await makeKey(key)
  await run('openssl', ['req', '-new', '-key', key, '-subj', subject, '-out', request])
  const usage = [
    'basicConstraints=critical,CA:FALSE',
    'keyUsage=critical,digitalSignature',
    'extendedKeyUsage=clientAuth,serverAuth',
  ]
  await writeFile(extensions, [...usage, ...(names === undefined ? [] : [`subjectAltName=${names}`])].join('\n'))
  const authority = [
    '-CA',
    join(pki, 'ca.crt'),
    '-CAkey',
    join(pki, 'ca.key'),
    '-set_serial',
    `0x${randomBytes(8).toString('hex')}`,
  ]
  await run('openssl', [
    'x509',
    '-req',
    '-in',
    request,
    ...authority,
    '-days',
    DAYS,
    '-extfile',
    extensions,
    '-out',
    made,
  ])
  await rename(made, join(pki, `${name}.crt`))
}

/** Paths of what the git server of this machine shows itself by, and of the authority that vouches for it. */
export function gitCertificate(nodeDir: string): { authority: string; cert: string; key: string } {
  const [authority, cert, key] = ['ca.crt', 'git.crt', 'git.key'].map((name) => join(nodeDir, 'pki', name)) as [
    string,
    string,
    string,
  ] // three names, three files
  return { authority, cert, key }
}

async function makeKey(file: string): Promise<void> {
  await run('openssl', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', file])
  await chmod(file, 0o600)
}

export function kubeconfigPath(nodeDir: string, user: string): string {
  return join(nodeDir, `${user}.kubeconfig`)
}

/** Credentials are embedded, so that the file can be copied elsewhere on its own. */
async function writeKubeconfig(nodeDir: string, user: string, network: NodeNetwork): Promise<void> {
  const base64 = async (name: string): Promise<string> =>
    (await readFile(join(nodeDir, 'pki', name))).toString('base64')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: network.name,
        cluster: {
          server: `https://${network.nodeAddress}:6443`,
          'certificate-authority-data': await base64('ca.crt'),
        },
      },
    ],
    users: [
      {
        name: user,
        user: {
          'client-certificate-data': await base64(`${user}.crt`),
          'client-key-data': await base64(`${user}.key`),
        },
      },
    ],
    contexts: [{ name: user, context: { cluster: network.name, user } }],
    'current-context': user,
  }
  const file = kubeconfigPath(nodeDir, user)
  await writeFile(file, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 })
  await chmod(file, 0o600)
}
