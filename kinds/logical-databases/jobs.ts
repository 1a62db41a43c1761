/**
 * The Jobs that create and drop a logical database, beside its server: pure makers of manifests, and the outcome of a
 * Job.
 */
import type { V1EnvVar, V1Job } from '@kubernetes/client-node'
import { annotations } from '../meta/annotations.ts'
import { type NodeChoice, nodeSelectorOf } from '../placement/node-choice.ts'
import { tagTolerations } from '../placement/node-tags.ts'
import type { SqlEngine } from '../sql-engines.ts'
import { createOnOwnMysql, createOnSharedMysql, dropOnMysql } from './mysql-scripts.ts'
import type { OnServer } from './names.ts'
import { createOnOwnPostgres, createOnSharedPostgres, dropOnPostgres } from './postgres-scripts.ts'
import { nonRootPod } from '../pods/security.ts'

/** The server of a Job, and the login for it; all secrets stay in Secrets. */
export interface JobServer {
  engine: SqlEngine
  namespace: string
  /** The image of the server, which has the client of its engine. */
  image: string
  /** The Secret with `host`, `port`, `database`. */
  connectionSecret: string
  /** The Secret with `username` and `password` of a login that may create databases. */
  adminSecret: string
  nodes: NodeChoice
}

export interface JobOwner {
  labels: Record<string, string>
  podLabels: Record<string, string>
}

/** A value of the environment: a plain text, or a key of a Secret beside the Job. */
type Value = string | { secret: string; key: string }

/** How many further pods are tried before the creation counts as failed; each of them waits for the server. */
const createRetries = 1
/** A drop may run for a day after the last pass waited for it; its Job is deleted an hour after its end. */
const drop = { retries: 1_000, deadlineSeconds: 86_400, keptSeconds: 3_600 } as const

/** Creates login and database on the shared server; only the Job reads the password in `loginSecret`. */
export function createOnSharedJob(
  name: string,
  owner: JobOwner,
  server: JobServer,
  at: OnServer,
  loginSecret: string,
  notes: Record<string, string>,
) {
  const key = server.engine === 'postgres' ? 'verifier' : 'password'
  const values = {
    DATABASE: at.database,
    LOGIN: at.username,
    [key.toUpperCase()]: { secret: loginSecret, key },
    CONNECTION_LIMIT: { secret: loginSecret, key: 'connectionLimit' },
  }
  const script = server.engine === 'postgres' ? createOnSharedPostgres : createOnSharedMysql
  return job(name, owner, server, script, values, notes, { restartPolicy: 'Never', backoffLimit: createRetries })
}

/** Creates the database on a project's own server, for the login in the server's connection Secret. */
export function createOnOwnJob(
  name: string,
  owner: JobOwner,
  server: JobServer,
  database: string,
  notes: Record<string, string>,
) {
  const values = { DATABASE: database, LOGIN: { secret: server.connectionSecret, key: 'username' } }
  const script = server.engine === 'postgres' ? createOnOwnPostgres : createOnOwnMysql
  return job(name, owner, server, script, values, notes, { restartPolicy: 'Never', backoffLimit: createRetries })
}

/** Drops database and login; needs nothing of the record, which may be gone before the server answers. */
export function dropJob(name: string, owner: JobOwner, server: JobServer, at: OnServer) {
  const script = server.engine === 'postgres' ? dropOnPostgres : dropOnMysql
  const ends = {
    backoffLimit: drop.retries,
    activeDeadlineSeconds: drop.deadlineSeconds,
    ttlSecondsAfterFinished: drop.keptSeconds,
  }
  return job(
    name,
    owner,
    server,
    script,
    { DATABASE: at.database, LOGIN: at.username },
    {},
    { restartPolicy: 'OnFailure', ...ends },
  )
}

type Ends = Pick<NonNullable<V1Job['spec']>, 'backoffLimit' | 'activeDeadlineSeconds' | 'ttlSecondsAfterFinished'> & {
  restartPolicy: 'Never' | 'OnFailure'
}

function job(
  name: string,
  owner: JobOwner,
  server: JobServer,
  script: string,
  values: Record<string, Value>,
  notes: Record<string, string>,
  { restartPolicy, ...ends }: Ends,
) {
  const nodeSelector = nodeSelectorOf(server.nodes)
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: server.namespace, labels: owner.labels, annotations: notes },
    spec: {
      ...ends,
      template: {
        // Without the owner label: the Job shows the progress, and each event of such a pod would cause a pass.
        metadata: { labels: owner.podLabels },
        spec: {
          restartPolicy,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: nonRootPod(65532),
          ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
          ...(server.nodes.tags.length === 0 ? {} : { tolerations: tagTolerations(server.nodes.tags) }),
          containers: [
            {
              name: 'sql',
              image: server.image,
              command: ['sh', '-c', script],
              env: environmentOf({
                ...(server.engine === 'postgres' ? postgresServer(server) : mysqlServer(server)),
                ...values,
              }),
              resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '500m', memory: '128Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: false,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    },
  } satisfies V1Job
}

function postgresServer({ connectionSecret, adminSecret }: JobServer): Record<string, Value> {
  return {
    PGHOST: { secret: connectionSecret, key: 'host' },
    PGPORT: { secret: connectionSecret, key: 'port' },
    PGDATABASE: { secret: connectionSecret, key: 'database' },
    PGUSER: { secret: adminSecret, key: 'username' },
    PGPASSWORD: { secret: adminSecret, key: 'password' },
  }
}

function mysqlServer({ connectionSecret, adminSecret }: JobServer): Record<string, Value> {
  return {
    SERVER_HOST: { secret: connectionSecret, key: 'host' },
    SERVER_PORT: { secret: connectionSecret, key: 'port' },
    SERVER_USERNAME: { secret: adminSecret, key: 'username' },
    MYSQL_PWD: { secret: adminSecret, key: 'password' },
  }
}

function environmentOf(values: Record<string, Value>): V1EnvVar[] {
  return Object.entries(values).map(([name, value]) =>
    typeof value === 'string'
      ? { name, value }
      : { name, valueFrom: { secretKeyRef: { name: value.secret, key: value.key } } },
  )
}

/** The fields of a Job that show its progress. */
export interface JobView {
  metadata: {
    annotations?: Record<string, string>
    deletionTimestamp?: string | Date
    creationTimestamp?: string | Date
  }
  status?: { conditions?: { type: string; status: string }[] }
}

/** A Job that is being deleted is `leaving`, whatever its outcome. */
export function jobOutcome({ metadata, status }: JobView): 'leaving' | 'running' | 'succeeded' | 'failed' {
  if (metadata.deletionTimestamp !== undefined) return 'leaving'
  const holds = (type: string) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true
  return holds('Complete') ? 'succeeded' : holds('Failed') ? 'failed' : 'running'
}

/** The server and login that a Job worked for: when they differ from the current ones, the Job is made anew. */
export const madeFor = ({ metadata }: JobView): string => metadata.annotations?.[annotations.applied] ?? ''
