/** The Job of a backup, a restore or a drill: created once for its subject, read live, with its pod's message. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { connectionPurpose, connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import type { BackupJob } from '../../kinds/backup-archives/pods.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import { databaseImage } from '../../kinds/databases/image.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { adminSecretName, enginePorts, passwordSecretName, serverHost } from '../../kinds/databases/names.ts'
import { jobOutcome, madeFor } from '../../kinds/logical-databases/jobs.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { homeOf, placeLabels } from '../../kinds/meta/namespaces.ts'
import { nodeChoiceOf, withTags } from '../../kinds/placement/node-choice.ts'
import { isSqlEngine } from '../../kinds/sql-engines.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { OwnershipConflict } from '../kube/apply-child.ts'
import { createJob, ownerOf, readJob, removeJob } from '../kube/jobs.ts'
import { keepSecret, type OwnSecret, removeOwnSecret } from '../kube/own-secret.ts'
import { findStorage, projectKey } from './storage.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'

/** Where a Job and its Secret are: they have the same name, in the namespace of the environment. */
export interface JobPlace {
  name: string
  namespace: string
  /** uid of the record that the Job works for. */
  owner: string
  project: string
  environment: string
}

/** The place of a Job in the namespace of the record's environment. */
export const jobPlace = (
  name: string,
  { metadata, spec }: Pick<BackupArchive | Database | ObjectStore, 'metadata' | 'spec'>,
): JobPlace => ({
  name,
  namespace: homeOf(spec),
  owner: metadata.uid ?? '',
  project: spec.project,
  environment: spec.environment,
})

export const ownLabels = ({ owner, ...place }: JobPlace): Record<string, string> => ({
  [labels.managedBy]: managedBySvc,
  [labels.owner]: owner,
  ...placeLabels(place),
})

/** Labels of the pods, without the owner: the Job has all that a pass needs, and each pod event would cause a pass. */
export const podLabels = (place: JobPlace): Record<string, string> => placeLabels(place)

const storeSecret = (place: JobPlace): OwnSecret => ({
  name: place.name,
  namespace: place.namespace,
  owner: place.owner,
  purpose: connectionPurpose,
  labels: ownLabels(place),
})

/** Writes the Secret that the Job mounts, with `login` in it; '' or the reason why it cannot. */
export async function handOverKeys(
  needs: ActivityNeeds,
  place: JobPlace,
  archive: BackupArchive,
  make: boolean,
  login: Readonly<Record<string, string>> = {},
) {
  const found = await findStorage(needs, archive.spec)
  if ('unmet' in found) return found.unmet
  const key = await projectKey(needs, archive.spec.project, make)
  if (key === undefined) return 'the key that the backups of the project are encrypted with is gone'
  await keepSecret(needs.client, storeSecret(place), { ...login, ...found.storage, path: archive.spec.path, key })
  return ''
}

/** Removes the Secret with the keys, once the pod of the Job has ended. */
export const takeKeysBack = ({ client }: Pick<ActivityNeeds, 'client'>, place: JobPlace): Promise<void> =>
  removeOwnSecret(client, place)

/**
 * The parts of a database's Job; `version` is that of the data, '' for the default one. For a logical database
 * `database` is its server: the Job runs on that server's nodes with the login of the logical database.
 */
export async function jobOf(
  needs: ActivityNeeds,
  place: JobPlace,
  database: Database,
  version: string,
  logical?: LogicalDatabase,
): Promise<BackupJob> {
  const spec = effectiveDatabaseSpec(database) ?? database.spec
  const { name } = database.metadata
  const nodes = withTags(nodeChoiceOf(await needs.projects.read(place.project)), spec.runOn.tags)
  return {
    name: place.name,
    namespace: place.namespace,
    engine: spec.engine,
    image: databaseImage({ ...spec, version }),
    transferImage: needs.backupImage,
    host: serverHost(name, spec),
    port: enginePorts[spec.engine],
    secrets: { store: place.name, ...(logical === undefined ? loginsOf(name, spec) : ownLogin(logical)) },
    nodes,
    labels: ownLabels(place),
    podLabels: podLabels(place),
    notes: {},
  }
}

const loginsOf = (name: string, { engine }: Database['spec']) => ({
  login: passwordSecretName(name),
  admin: isSqlEngine(engine) ? adminSecretName(name) : undefined,
})

/**
 * The Job with the image for mysqlbinlog that the install names, if it does: the official images of MySQL have no
 * mysqlbinlog since 8.0.30.
 */
export const withBinlogTools = ({ binlogImage }: Pick<ActivityNeeds, 'binlogImage'>, job: BackupJob): BackupJob =>
  job.engine === 'mysql' && binlogImage !== '' ? { ...job, image: binlogImage } : job

/** A logical database's own login, so that its backup holds nothing of the server or of other databases. */
const ownLogin = ({ metadata }: LogicalDatabase) => ({ login: undefined, admin: connectionSecretName(metadata.name) })

/** The state of a Job; `said` is the termination message of its pod. */
export type JobState = { outcome: 'running' } | { outcome: 'succeeded' | 'failed'; said: string }

/**
 * Creates the Job if there is none. `subject` is a digest of what the Job does: a Job of another subject is removed,
 * and a later pass creates it anew. `said` is '' if the termination message is lost. Throws OwnershipConflict.
 */
export async function runJob(
  { client }: Pick<ActivityNeeds, 'client'>,
  place: JobPlace,
  subject: string,
  make: () => Promise<KubeObject>,
): Promise<JobState> {
  const { name, namespace, owner } = place
  const job = await readJob(client, namespace, name)
  if (job === undefined) {
    await createJob(client, await make())
    return { outcome: 'running' }
  }
  if (ownerOf(job) !== owner) throw new OwnershipConflict('Job', namespace, name)
  const outcome = jobOutcome(job)
  if (outcome === 'leaving') return { outcome: 'running' }
  if (madeFor(job) !== subject) {
    await removeJob(client, job)
    return { outcome: 'running' }
  }
  if (outcome === 'running') return { outcome }
  return { outcome, said: await terminationMessage(client, namespace, name) }
}

type PodEnds = KubeObject & {
  status?: { containerStatuses?: { state?: { terminated?: { message?: string } } }[] }
}

async function terminationMessage({ list }: ActivityNeeds['client'], namespace: string, job: string): Promise<string> {
  const { items } = await list<PodEnds>(coreTypes.pod, { namespace, labelSelector: `job-name=${job}` })
  const said = items.flatMap(({ status }) =>
    (status?.containerStatuses ?? []).map(({ state }) => state?.terminated?.message ?? ''),
  )
  return said.find((each) => each !== '') ?? ''
}

/** Removes the Job with its pods, and its Secret; true once the Job is gone. */
export async function clearJob({ client }: Pick<ActivityNeeds, 'client'>, place: JobPlace): Promise<boolean> {
  const job = await readJob(client, place.namespace, place.name)
  const isOwn = job !== undefined && ownerOf(job) === place.owner
  if (isOwn && job.metadata.deletionTimestamp === undefined) await removeJob(client, job)
  await removeOwnSecret(client, place)
  return !isOwn
}
