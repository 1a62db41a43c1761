/**
 * The peer of backups: what an administrator would run as Jobs of their own, with the tools that svc uses and the same
 * bucket. `pg_dump` and `pg_basebackup` are piped into rclone, and a dump is piped out of it into `pg_restore`. Neither
 * encrypts, reads back nor counts, which svc does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { V1Job } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { adminSecretName, enginePorts, serverServiceName } from '../../kinds/databases/names.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { backupImage } from '../../temporal/settings/backups.ts'

const pollMs = 100
const withinMs = 3_600_000
/** In the bucket by the name that it has on the server. */
const at = 'remote:$BUCKET/by-hand'

export interface BackupPeer {
  /** A dump and, after it, a copy of the whole server; resolves with the milliseconds of the Job, creation to end. */
  backUp(db: string): Promise<number>
  /** The dump of `from`, into the database of the same name of `db`; resolves with milliseconds. */
  restore(from: string, db: string): Promise<number>
}

/** `store` is a bucket on the object server whose connection Secret is in `namespace`, as the databases are. */
export function createBackupPeer(cluster: ClusterClient, namespace: string, store: string): BackupPeer {
  const run = async (db: string, what: string, script: string): Promise<number> => {
    const name = `by-hand-${what}`
    const server = await cluster.get<KubeObject & Server>({ type: coreTypes.statefulSet, namespace, name: db })
    const image = server?.spec.template.spec.containers[0]?.image
    if (image === undefined) throw new Error(`${db} has no StatefulSet in ${namespace}`)
    const began = performance.now()
    await cluster.create<Sent<V1Job>>(coreTypes.job, manifest({ name, namespace, image, db, store, script }))
    await ended(cluster, namespace, name)
    const took = performance.now() - began
    await cluster.delete({ type: coreTypes.job, namespace, name }, { propagation: 'Foreground' })
    return took
  }
  return {
    backUp: (db) =>
      run(
        db,
        'backup',
        `made pg_dump -Fc | rclone rcat "${at}/${db}.dump"
made pg_basebackup -D - -Ft -X fetch -c fast | gzip -1 | rclone rcat "${at}/${db}.tar.gz"`,
      ),
    restore: (from, db) =>
      run(
        db,
        'restore',
        `made rclone cat "${at}/${from}.dump" | pg_restore --no-owner --no-privileges --exit-on-error --single-transaction -d "$PGDATABASE"`,
      ),
  }
}

interface Server {
  spec: { template: { spec: { containers: { image: string }[] } } }
}

interface Parts {
  name: string
  namespace: string
  /** Of the server, with its tools. */
  image: string
  db: string
  store: string
  script: string
}

/** `made` notes that the tool before a pipe failed: not every shell of an image knows `pipefail`. */
const whole = (script: string): string => `set -eu
PATH="/tools:$PATH"
made() { "$@" || : >/tools/failed; }
${script}
if [ -e /tools/failed ]; then exit 1; fi
`

const ofSecret = (name: string, secret: string, key: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: secret, key } },
})

function manifest({ name, namespace, image, db, store, script }: Parts) {
  const user = { runAsNonRoot: true, runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 }
  const own = {
    imagePullPolicy: 'IfNotPresent',
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    // As much as the Jobs of svc may take.
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '1', memory: '512Mi' } },
    volumeMounts: [{ name: 'tools', mountPath: '/tools' }],
  }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { ...user, seccompProfile: { type: 'RuntimeDefault' } },
          initContainers: [
            {
              name: 'tools',
              image: backupImage({}),
              command: ['sh', '-c', 'cp "$(command -v rclone)" /tools/'],
              ...own,
            },
          ],
          containers: [
            {
              name: 'tool',
              image,
              command: ['sh', '-c', whole(script)],
              env: [
                { name: 'HOME', value: '/tools' },
                { name: 'PGHOST', value: serverServiceName(db, 'postgres') },
                ofSecret('PGDATABASE', connectionSecretName(db), 'database'),
                { name: 'PGPORT', value: String(enginePorts.postgres) },
                ofSecret('PGUSER', adminSecretName(db), 'username'),
                ofSecret('PGPASSWORD', adminSecretName(db), 'password'),
                { name: 'RCLONE_CONFIG_REMOTE_TYPE', value: 's3' },
                { name: 'RCLONE_CONFIG_REMOTE_PROVIDER', value: 'Minio' },
                { name: 'RCLONE_CONFIG_REMOTE_NO_CHECK_BUCKET', value: 'true' },
                ofSecret('BUCKET', connectionSecretName(store), 'bucket'),
                ofSecret('RCLONE_CONFIG_REMOTE_ENDPOINT', connectionSecretName(store), 'endpoint'),
                ofSecret('RCLONE_CONFIG_REMOTE_ACCESS_KEY_ID', connectionSecretName(store), 'accessKey'),
                ofSecret('RCLONE_CONFIG_REMOTE_SECRET_ACCESS_KEY', connectionSecretName(store), 'secretKey'),
                { name: 'RCLONE_S3_CHUNK_SIZE', value: '16M' },
              ],
              ...own,
            },
          ],
          volumes: [{ name: 'tools', emptyDir: {} }],
        },
      },
    },
  }
}

/** Throws what the tools of a failed Job wrote. */
async function ended(cluster: ClusterClient, namespace: string, name: string): Promise<void> {
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(pollMs)) {
    const job = await cluster.get<Sent<V1Job>>({ type: coreTypes.job, namespace, name })
    if ((job?.status?.succeeded ?? 0) > 0) return
    if ((job?.status?.failed ?? 0) > 0)
      throw new Error(`Job ${name} failed: ${await written(cluster, namespace, name)}`)
  }
  throw new Error(`Job ${name} in ${namespace} does not end`)
}

async function written(cluster: ClusterClient, namespace: string, job: string): Promise<string> {
  const { items } = await cluster.list(coreTypes.pod, { namespace, labelSelector: `job-name=${job}` })
  const pod = items[0]?.metadata.name
  if (pod === undefined) return 'its pod is gone'
  return cluster.raw('GET', `/api/v1/namespaces/${namespace}/pods/${pod}/log?tailLines=20`)
}
