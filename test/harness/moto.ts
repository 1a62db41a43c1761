/** moto, a stand-in for AWS: S3, IAM and STS on a free port of loopback, with one account and nothing persisted. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endChild, freePort, launch, waitUntilReady } from '../../one-machine/processes/index.ts'
import { type AwsAccount, createAws } from '../../outside/aws/account.ts'
import { pythonWith } from './python.ts'
import { atEnd } from './stack.ts'

export interface Moto {
  readonly url: string
  /** Keys of an administrator of its account. */
  readonly keys: { accessKeyId: string; secretAccessKey: string }
  /** A client for checks that does not use the code under test. */
  account(region?: string): AwsAccount
  /** Turns the check of IAM permissions on or off; it starts off, with every call allowed. */
  enforce(on: boolean): Promise<void>
}

/** The first start on a machine installs it. */
export const motoWithinMs = 240_000

let shared: Promise<Moto> | undefined

/** One server for all tests of the run, kept apart by names. */
export function useMoto(): Promise<Moto> {
  shared ??= start()
  return shared
}

async function start(): Promise<Moto> {
  const python = await pythonWith('moto', join(import.meta.dirname, 'moto', 'requirements.txt'))
  const folder = await mkdtemp(join(tmpdir(), 'svc-moto-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = launch({
    name: 'moto',
    command: python,
    args: ['-c', 'from moto.server import main; main()', '-H', '127.0.0.1', '-p', String(port)],
    logFile: join(folder, 'moto.log'),
    ready: async () => (await fetch(`${url}/moto-api/`).catch(() => undefined))?.ok === true,
  })
  atEnd(async () => {
    await endChild(child)
    await rm(folder, { recursive: true, force: true })
  })
  await waitUntilReady(child)
  const aws = createAws({ endpoint: url, callMs: 20_000, attempts: 3 })
  const keys = await administrator(aws.account(anybody, 'us-east-1'))
  return {
    url,
    keys,
    account: (region = 'us-east-1') => aws.account(keys, region),
    enforce: async (on) => {
      await fetch(`${url}/moto-api/reset-auth`, { method: 'POST', body: on ? '0' : 'inf' })
    },
  }
}

const anybody = { accessKeyId: 'anybody', secretAccessKey: 'anybody' }

async function administrator(account: AwsAccount): Promise<Moto['keys']> {
  const UserName = 'administrator'
  const PolicyDocument = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }],
  })
  await account.iam((iam) => iam.createUser({ UserName }))
  await account.iam((iam) => iam.putUserPolicy({ UserName, PolicyName: 'everything', PolicyDocument }))
  const { AccessKey } = await account.iam((iam) => iam.createAccessKey({ UserName }))
  account.close()
  return { accessKeyId: AccessKey?.AccessKeyId ?? '', secretAccessKey: AccessKey?.SecretAccessKey ?? '' }
}
