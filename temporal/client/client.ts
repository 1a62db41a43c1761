/** The connection to Temporal, by environment variables; lazy, so that a process can start before Temporal answers. */
import { readFileSync } from 'node:fs'
import { Client, Connection, type ConnectionOptions, isGrpcServiceError } from '@temporalio/client'
import { policyWith, type Policy } from '../../durable/policy.ts'
import { defaultTemporalNamespace } from '../../durable/queues.ts'
import { defined } from '../../contract/defined.ts'

export interface TemporalSettings {
  address: string
  namespace: string
  policy: Policy
  /** False if svc may not register search attributes (SVC_SEARCH_ATTRIBUTES=off). */
  searchable: boolean
  /** Address of Temporal's web UI for users, without a slash at its end. */
  pages?: string
  tls?: ConnectionOptions['tls']
  apiKey?: string
}

/**
 * SVC_TEMPORAL_ADDRESS (127.0.0.1:7233), SVC_TEMPORAL_NAMESPACE (svc), SVC_TEMPORAL_API_KEY, SVC_TEMPORAL_TLS_CA /
 * _CERT / _KEY (file paths), SVC_POLICY (JSON of durations), SVC_SEARCH_ATTRIBUTES, SVC_TEMPORAL_PAGES. Throws a plain
 * sentence for a policy or an address it cannot read.
 */
export function temporalSettings(env: Readonly<Record<string, string | undefined>>): TemporalSettings {
  const {
    SVC_TEMPORAL_TLS_CA: ca,
    SVC_TEMPORAL_TLS_CERT: cert,
    SVC_TEMPORAL_TLS_KEY: key,
    SVC_TEMPORAL_API_KEY: apiKey,
  } = env
  const pair =
    cert !== undefined && key !== undefined
      ? { clientCertPair: { crt: readFileSync(cert), key: readFileSync(key) } }
      : {}
  const tls =
    ca !== undefined || cert !== undefined
      ? { ...(ca === undefined ? {} : { serverRootCACertificate: readFileSync(ca) }), ...pair }
      : apiKey === undefined
        ? undefined
        : true
  return {
    address: env['SVC_TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233',
    namespace: env['SVC_TEMPORAL_NAMESPACE'] ?? defaultTemporalNamespace,
    policy: policyWith(parsePolicy(env['SVC_POLICY'])),
    searchable: env['SVC_SEARCH_ATTRIBUTES'] !== 'off',
    ...defined({ tls, apiKey, pages: pagesOf(env['SVC_TEMPORAL_PAGES']) }),
  }
}

/** The address of Temporal's web UI; only http and https, since pages of the dashboard link to it. */
function pagesOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^https?:\/\/[^\s"<>]+$/.test(text)) throw new Error('SVC_TEMPORAL_PAGES must be an http or https address')
  return text.replace(/\/+$/, '')
}

export interface TemporalClient {
  client: Client
  connection: Connection
  close(): Promise<void>
}

export function connectTemporal({ address, namespace, tls, apiKey }: TemporalSettings): TemporalClient {
  const connection = Connection.lazy({
    address,
    ...defined({ tls, apiKey }),
  })
  return { connection, client: new Client({ connection, namespace }), close: () => connection.close() }
}

function parsePolicy(text: string | undefined): Record<string, unknown> {
  if (text === undefined || text === '') return {}
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('SVC_POLICY must be a JSON object of durations')
  return { ...value }
}

/** The gRPC code of an error of Temporal, which the client may wrap; undefined for any other error. */
export function grpcCodeOf(error: unknown): number | undefined {
  if (isGrpcServiceError(error)) return error.code
  const cause = error instanceof Error ? error.cause : undefined
  return isGrpcServiceError(cause) ? cause.code : undefined
}
