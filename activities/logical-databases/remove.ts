/**
 * Removes a logical database: stops its creation, drops its database on the shared server, removes its Secrets.
 */
import { systemNamespace } from '../../kinds/meta/group.ts'
import { dropJob, jobOutcome } from '../../kinds/logical-databases/jobs.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { createJobName, dropJobName, type OnServer } from '../../kinds/logical-databases/names.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { readOwnSecret, removeOwnSecret } from '../kube/own-secret.ts'
import { type Pass, waiting } from '../provision/step.ts'
import { createSuspendedJob, isSuspended, type LiveJob, ownerOf, readJob, removeJob, resumeJob } from '../kube/jobs.ts'
import { removedIfGone } from '../kube/if-gone.ts'
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
 * Removes the creation Job; false once it is gone. Unless the record is being deleted, the next pass creates another
 * Job, which creates what is missing on the server.
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
 * Drops the database, on the shared server only: on a project's own server the data stays as long as the server. The
 * record waits for the Job up to three minutes (docs/reference/limits.md#logical-database-drop-wait); then an Event
 * names what is left, the record is removed, and the Job goes on trying.
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
      const drop = dropJob(dropJobName(names.username), jobOwner(record), jobServer(server, project), names)
      await createSuspendedJob(client, drop, { record, store: needs.logicalDatabases })
      return dropping
    }
    const outcome = jobOutcome(job)
    // A Job of an earlier record of this name ended before this database was created: its outcome does not count.
    const isEarlier = ownerOf(job) !== record.metadata.uid
    if (isEarlier && outcome !== 'leaving') await removeJob(client, job)
    if (isEarlier || outcome === 'leaving') return dropping
    if (isSuspended(job)) await resumeJob(client, job, { record, store: needs.logicalDatabases })
    if (outcome === 'succeeded') return undefined
    if (needs.now().getTime() - madeAt(job) < needs.dropMs) return dropping
    await recordStaying(needs, record, names)
    return undefined
  }

const dropping = waiting('waiting for the database to be dropped')

const madeAt = ({ metadata }: LiveJob): number => new Date(metadata.creationTimestamp ?? 0).getTime()

/** Whether the server may have something of the record: its login is stored before anything is created there. */
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

/** A pass that creates something: of a record that is gone by its end nothing stays. */
export const leavingNothing =
  (needs: ActivityNeeds, pass: Pass<LogicalDatabase>): Pass<LogicalDatabase> =>
  (record) =>
    removedIfGone(
      { record, store: needs.logicalDatabases },
      () => pass(record),
      async () => {
        await forgetCreation(needs, record)
        await removeLeftovers(needs)(record)
      },
    )
