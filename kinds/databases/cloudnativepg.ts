/**
 * Postgres run by the operator CloudNativePG: its Cluster object (postgresql.cnpg.io/v1), and the progress that the
 * operator reports.
 */
import { z } from 'zod'
import { homeOf } from '../meta/namespaces.ts'
import { administrators } from '../sql-engines.ts'
import { nodeSelectorOf } from '../placement/node-choice.ts'
import { tagTolerations } from '../placement/node-tags.ts'
import { bytes, cpuMillis } from '../pods/quantity.ts'
import { engineVersionOf } from './image.ts'
import { asksForWal, walKeep } from './keeps-wal.ts'
import type { DatabaseSpec } from './kind.ts'
import { type DatabasePlacing, databaseLabels } from './manifests.ts'
import { adminSecretName, firstDatabase, firstLogin, passwordSecretName } from './names.ts'
import { databaseCopies, copySizeOf } from './sizes.ts'

/** The registry path of the operator's own postgres images. */
const operandImage = 'ghcr.io/cloudnative-pg/postgresql'

/**
 * The Cluster object. The operator makes the Services `<name>-rw`, `-ro` and `-r`, the volumes and the pods from it;
 * its pods get svc's labels. `found` is the existing object.
 */
export function operatedObject(spec: DatabaseSpec, placing: DatabasePlacing, found?: OperatedView) {
  const { name, nodes, storage } = placing
  const owned = databaseLabels(placing, spec)
  const nodeSelector = nodeSelectorOf(nodes)
  const tolerations = tagTolerations(nodes.tags)
  const affinity = {
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  }
  return {
    apiVersion: 'postgresql.cnpg.io/v1',
    kind: 'Cluster',
    metadata: { name, namespace: homeOf(spec), labels: owned },
    spec: {
      instances: databaseCopies(spec),
      imageName: `${operandImage}:${engineVersionOf(spec)}`,
      inheritedMetadata: { labels: owned },
      enableSuperuserAccess: true,
      superuserSecret: { name: adminSecretName(name) },
      bootstrap: {
        initdb: {
          database: firstDatabase(name, spec),
          owner: firstLogin(name, spec),
          secret: { name: passwordSecretName(name) },
        },
      },
      storage: { size: storage },
      ...serverSettings(spec, storage, found),
      resources: { requests: copySizeOf(spec), limits: copySizeOf(spec) },
      ...(Object.keys(affinity).length === 0 ? {} : { affinity }),
    },
  }
}

const copyRule = `host replication ${administrators.postgres} all scram-sha-256`

/**
 * The settings that a backup needs of a server whose WAL is stored (kinds/backup-archives/wal/base-script.ts): of such
 * a server only the operator writes rules and settings. Neither change restarts it. An apply replaces the whole list of
 * rules, so those of other writers are applied with it.
 */
function serverSettings(spec: DatabaseSpec, storage: string, found: OperatedView | undefined) {
  const others = (found?.spec?.postgresql?.pg_hba ?? []).filter((rule) => rule !== copyRule)
  const isAsked = asksForWal(spec)
  const rules = isAsked ? [...others, copyRule] : others
  if (rules.length === 0) return {}
  const parameters = isAsked ? { parameters: { max_slot_wal_keep_size: `${walKeep(storage)}MB` } } : {}
  return { postgresql: { pg_hba: rules, ...parameters } }
}

export interface OperatedView {
  metadata: { generation?: number; deletionTimestamp?: string }
  spec?: {
    instances?: number
    imageName?: string
    resources?: { limits?: Record<string, string> }
    postgresql?: { pg_hba?: string[] }
  }
  status?: { phase?: string; phaseReason?: string; readyInstances?: number }
}

const healthy = 'Cluster in healthy state'

/** The annotation in which the operator records the spec that it made a pod from. */
const madeFrom = 'cnpg.io/podSpec'

/**
 * Whether a pod was made from another spec: the operator reports a healthy state until it has seen a change, while its
 * pods show that it has not.
 */
function runsAnother({ spec }: OperatedView, pod: { metadata: { annotations?: Record<string, string> } }): boolean {
  const postgres = postgresIn(pod.metadata.annotations?.[madeFrom])
  if (postgres === undefined) return false
  const [is, wanted] = [postgres.resources?.limits, spec?.resources?.limits]
  return (
    postgres.image !== spec?.imageName ||
    cpuMillis(is?.['cpu']) !== cpuMillis(wanted?.['cpu']) ||
    bytes(is?.['memory']) !== bytes(wanted?.['memory'])
  )
}

const madeFromForm = z.object({
  containers: z.array(
    z.object({
      name: z.string(),
      image: z.string(),
      resources: z.object({ limits: z.record(z.string(), z.string()).optional() }).optional(),
    }),
  ),
})

/** Undefined for a pod that is no copy of the server, and where another release of the operator uses another format. */
function postgresIn(note = '') {
  try {
    return madeFromForm.parse(JSON.parse(note)).containers.find(({ name }) => name === 'postgres')
  } catch {
    return undefined
  }
}

/**
 * What the server waits for; '' when every copy is ready and as specified, and the operator reports no change in
 * progress.
 */
export function operatedAwaited(
  cluster: OperatedView | undefined,
  pods: readonly { metadata: { annotations?: Record<string, string> } }[],
): string {
  if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined)
    return 'waiting for the operator to begin'
  const { phase, phaseReason, readyInstances = 0 } = cluster.status ?? {}
  const wanted = cluster.spec?.instances ?? 1
  if (phase === undefined) return 'waiting for the operator to begin'
  const isChanging = pods.some((pod) => runsAnother(cluster, pod))
  if (phase === healthy && readyInstances >= wanted) return isChanging ? 'waiting for the operator to begin' : ''
  const why = phaseReason === undefined || phaseReason === '' ? phase : `${phase}: ${phaseReason}`
  return `${readyInstances} of ${wanted} copies ready; the operator says: ${why}`
}
