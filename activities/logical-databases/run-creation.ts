/** Creates the database on its server by a Job, and waits for the Job. */
import { annotations } from '../../kinds/meta/annotations.ts'
import { digest } from '../../kinds/meta/digest.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { createOnOwnJob, createOnSharedJob, jobOutcome, madeFor } from '../../kinds/logical-databases/jobs.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { createJobName, loginSecretName } from '../../kinds/logical-databases/names.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { OwnershipConflict } from '../kube/apply-child.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { readOwnSecret } from '../kube/own-secret.ts'
import { type Pass, type Unmet, waiting } from '../provision/step.ts'
import { createJob, ownerOf, readJob, removeJob } from '../kube/jobs.ts'
import { isOnSharedServer, jobNamespaceOf, jobOwner, loginSecretOf, sharedNamesOf } from './own-objects.ts'
import { jobServer } from './server.ts'

const creating = waiting('creating logical database')
const failed: Unmet = { outcome: 'permanent', message: 'database creation Job failed' }

/**
 * One Job for each server and login: another server of the same name, or a login with another password, needs another
 * Job. A failed Job is replaced once the intent changes, as by a retry.
 */
export const runCreation =
  (needs: ActivityNeeds): Pass<LogicalDatabase> =>
  async (record) => {
    const { client } = needs
    const { name, uid } = record.metadata
    const server = await needs.databases.read(record.spec.serverRef)
    if (server === undefined) return waiting(`server ${record.spec.serverRef} does not exist`)
    const [namespace, jobName] = [jobNamespaceOf(record), createJobName(name)]
    const subject = await subjectOf(needs, record, server)
    const intent = provisionIntent(record, record.spec)
    const job = await readJob(client, namespace, jobName)
    if (job === undefined) {
      await createJob(
        client,
        await creationOf(needs, record, server, { [annotations.applied]: subject, [annotations.intent]: intent }),
      )
      return creating
    }
    const outcome = jobOutcome(job)
    if (ownerOf(job) !== uid) throw new OwnershipConflict('Job', namespace, jobName)
    if (outcome === 'leaving') return creating
    const isCurrent = madeFor(job) === subject
    if (isCurrent && outcome === 'succeeded') return undefined
    if (isCurrent && outcome === 'running') return creating
    if (isCurrent && job.metadata.annotations?.[annotations.intent] === intent) return failed
    await removeJob(client, job)
    return creating
  }

async function subjectOf({ client }: ActivityNeeds, record: LogicalDatabase, server: Database): Promise<string> {
  if (!isOnSharedServer(record)) return digest([server.metadata.uid, record.spec.databaseName])
  return digest([server.metadata.uid, (await readOwnSecret(client, loginSecretOf(record)))?.uid])
}

async function creationOf(
  { projects }: ActivityNeeds,
  record: LogicalDatabase,
  server: Database,
  notes: Record<string, string>,
) {
  const { name } = record.metadata
  const at = jobServer(server, await projects.read(record.spec.project))
  const owner = jobOwner(record)
  return isOnSharedServer(record)
    ? createOnSharedJob(createJobName(name), owner, at, sharedNamesOf(record), loginSecretName(name), notes)
    : createOnOwnJob(createJobName(name), owner, at, record.spec.databaseName, notes)
}
