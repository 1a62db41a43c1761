/**
 * Takes a logical database down: its creation stopped, its database dropped on the shared server, its Secrets removed.
 */
import { systemNamespace } from '../../kinds/meta/group.ts'
import { dropJob, jobOutcome } from '../../kinds/logical-databases/jobs.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { createJobName, dropJobName, type OnServer } from '../../kinds/logical-databases/names.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { readOwnSecret, removeOwnSecret } from '../kube/own-secret.ts'
import { type Pass, waiting } from '../provision/step.ts'
import { createJob, type LiveJob, ownerOf, readJob, removeJob } from '../kube/jobs.ts'
import { dropClaims } from './claim-name.ts'
import {
  connectionSecretOf,
  isOnSharedServer,
  jobNamespaceOf,
  jobOwner,
  loginSecretOf,
  sharedNamesOf,
} from './own-objects.ts'
import { jobServer } from './server.ts'

export const stopCreation =
  ({ client }: ActivityNeeds): Pass<LogicalDatabase> =>
  async (record) =>
    (await forgetCreation({ client }, record)) ? waiting('waiting for the creation to stop') : undefined

/**
 * Removes the Job that made the database; false when it is gone. While the record stays, another is made, which makes
 * again what is missing on the server.
 */
export async function forgetCreation(
  { client }: Pick<ActivityNeeds, 'client'>,
  record: LogicalDatabase,
): Promise<boolean> {
  const job = await readJob(client, jobNamespaceOf(record), createJobName(record.metadata.name))
  if (job === undefined || ownerOf(job) !== record.metadata.uid) return false
  if (job.metadata.deletionTimestamp === undefined) await removeJob(client, job)
  return true
}

/**
 * On the shared server only: a project's own server keeps its data as long as it is there. Waited for up to three
 * minutes (docs/reference/limits.md#logical-database-drop-wait); then the record goes, an Event says what stays, and
 * the Job goes on trying.
 */
export const dropDatabase =
  (needs: ActivityNeeds): Pass<LogicalDatabase> =>
  async (record) => {
    const { client, databases } = needs
    if (!isOnSharedServer(record) || !(await wasBegun(needs, record))) return undefined
    const server = await databases.readLive(record.spec.serverRef)
    if (server === undefined) return undefined // its data went with it
    const names = sharedNamesOf(record)
    const job = await readJob(client, systemNamespace, dropJobName(names.username))
    if (job === undefined) {
      const project = await needs.projects.read(record.spec.project)
      await createJob(client, dropJob(dropJobName(names.username), jobOwner(record), jobServer(server, project), names))
      return dropping
    }
    const outcome = jobOutcome(job)
    // That of an earlier record of this name was over before this database was made: it says nothing about this one.
    const isEarlier = ownerOf(job) !== record.metadata.uid
    if (isEarlier && outcome !== 'leaving') await removeJob(client, job)
    if (isEarlier || outcome === 'leaving') return dropping
    if (outcome === 'succeeded') return undefined
    if (needs.now().getTime() - madeAt(job) < needs.dropMs) return dropping
    await recordStaying(needs, record, names)
    return undefined
  }

const dropping = waiting('waiting for the database to be dropped')

const madeAt = ({ metadata }: LiveJob): number => new Date(metadata.creationTimestamp ?? 0).getTime()

/** The login is stored before anything is made on the server. */
async function wasBegun({ client }: ActivityNeeds, record: LogicalDatabase): Promise<boolean> {
  return record.status?.username !== undefined || (await readOwnSecret(client, loginSecretOf(record))) !== undefined
}

async function recordStaying(
  { client, now, log }: ActivityNeeds,
  record: LogicalDatabase,
  { database, username }: OnServer,
): Promise<void> {
  const { serverRef } = record.spec
  const message = `the database ${database} and the login ${username} are still on server ${serverRef}; the Job ${dropJobName(username)} goes on trying for a day`
  log.warn(
    { logicalDatabase: record.metadata.name, server: serverRef, database },
    'the record of a logical database is removed before its database was dropped',
  )
  await recordEvent(
    client,
    record,
    { type: 'Warning', reason: 'NotDropped', message, occurrence: record.metadata.uid ?? '' },
    now(),
  )
}

export const removeLeftovers =
  ({ client }: ActivityNeeds): Pass<LogicalDatabase> =>
  async (record) => {
    await removeOwnSecret(client, connectionSecretOf(record))
    await dropClaims({ client }, record)
    if (!isOnSharedServer(record)) return undefined
    await removeOwnSecret(client, loginSecretOf(record))
    const job = await readJob(client, systemNamespace, dropJobName(sharedNamesOf(record).username))
    if (job !== undefined && ownerOf(job) === record.metadata.uid && jobOutcome(job) === 'succeeded')
      await removeJob(client, job)
    return undefined
  }
