/**
 * The clients of one AWS account in one region. The SDK is loaded on first use; clients live for one activity and are
 * closed after it.
 */
import type { IAM } from '@aws-sdk/client-iam'
import type { S3 } from '@aws-sdk/client-s3'
import type { STS } from '@aws-sdk/client-sts'
import { upstreamErrorOf } from './upstream-error.ts'
import { defined } from '../../contract/defined.ts'

export interface AwsKeys {
  accessKeyId: string
  secretAccessKey: string
}

export interface AwsSettings {
  /** An endpoint instead of AWS's own, e.g. in tests; buckets are then part of the path. */
  endpoint?: string
  /** Deadline of one call, in milliseconds. */
  callMs: number
  /** Attempts of one call within the client; the run also retries the activity. */
  attempts: number
}

/** Every method calls one service and throws UpstreamError, never an error of the SDK. */
export interface AwsAccount {
  readonly region: string
  s3<T>(ask: (client: S3) => Promise<T>): Promise<T>
  iam<T>(ask: (client: IAM) => Promise<T>): Promise<T>
  /** Without retries: for the one call that is not idempotent. */
  iamOnce<T>(ask: (client: IAM) => Promise<T>): Promise<T>
  sts<T>(ask: (client: STS) => Promise<T>): Promise<T>
  close(): void
}

export interface Aws {
  /** An endpoint instead of AWS's own. */
  readonly endpoint: string | undefined
  /** Makes no call: the first call shows whether the key is valid. */
  account(keys: AwsKeys, region: string): AwsAccount
}

const defaults: AwsSettings = { callMs: 5_000, attempts: 2 }

/** SVC_AWS_ENDPOINT: an address used instead of AWS's own. SVC_AWS_CALL_MS, SVC_AWS_ATTEMPTS: see AwsSettings. */
export function awsSettings(env: Readonly<Record<string, string | undefined>>): AwsSettings {
  const { SVC_AWS_ENDPOINT: endpoint, SVC_AWS_CALL_MS: callMs, SVC_AWS_ATTEMPTS: attempts } = env
  return {
    callMs: callMs === undefined ? defaults.callMs : Number(callMs),
    attempts: attempts === undefined ? defaults.attempts : Number(attempts),
    ...(endpoint === undefined || endpoint === '' ? {} : { endpoint }),
  }
}

export const createAws = (settings: AwsSettings): Aws => ({
  endpoint: settings.endpoint,
  account: (keys, region) => open(settings, keys, region),
})

function open({ endpoint, callMs, attempts }: AwsSettings, keys: AwsKeys, region: string): AwsAccount {
  const common = {
    region,
    credentials: { ...keys }, // the client modifies the object
    maxAttempts: attempts,
    requestHandler: { connectionTimeout: callMs, requestTimeout: callMs, throwOnRequestTimeout: true },
    ...defined({ endpoint }),
  }
  const opened: { destroy(): void }[] = []
  /** Loading the package takes time and some memory, so it is deferred to the first use. */
  const lazily = <Client extends { destroy(): void }>(make: () => Promise<Client>) => {
    let made: Promise<Client> | undefined
    return async <T>(ask: (client: Client) => Promise<T>): Promise<T> => {
      made ??= make().then((client) => {
        opened.push(client)
        return client
      })
      const client = await made
      try {
        return await ask(client)
      } catch (error) {
        throw upstreamErrorOf(error, [keys.secretAccessKey, keys.accessKeyId])
      }
    }
  }
  const iam = async (maxAttempts: number) => new (await import('@aws-sdk/client-iam')).IAM({ ...common, maxAttempts })
  return {
    region,
    s3: lazily(
      async () =>
        new (await import('@aws-sdk/client-s3')).S3({
          ...common,
          forcePathStyle: endpoint !== undefined,
          followRegionRedirects: true,
        }),
    ),
    iam: lazily(() => iam(attempts)),
    iamOnce: lazily(() => iam(1)),
    sts: lazily(async () => new (await import('@aws-sdk/client-sts')).STS(common)),
    close: () => {
      for (const client of opened.splice(0)) client.destroy()
    },
  }
}
