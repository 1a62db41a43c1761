/** Gives a logical database its name and login; the password is generated once, and stored by the same activity. */
import { randomBytes } from 'node:crypto'
import { connectionLimit } from '../../contract/limits.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { jobOutcome } from '../../kinds/logical-databases/jobs.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { createJobName, dropJobName } from '../../kinds/logical-databases/names.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { keepSecret, readOwnSecret } from '../kube/own-secret.ts'
import { type Pass, type Unmet, waiting } from '../provision/step.ts'
import { writeStatus } from '../kube/write-status.ts'
import { isSuspended, readJob, removeJob } from '../kube/jobs.ts'
import { claimName } from './claim-name.ts'
import { connectionSecretOf, isOnSharedServer, loginSecretOf, nameOnServer, sharedNamesOf } from './own-objects.ts'
import { scramVerifier } from './scram.ts'
import { readServerConnection } from './server.ts'

const passwordBytes = 24

export const keepLogin =
  (needs: ActivityNeeds): Pass<LogicalDatabase> =>
  async (record) => {
    const shared = isOnSharedServer(record)
    const taken = (await claimName(needs, record)) ?? (shared ? await awaitDrop(needs, record) : undefined)
    if (taken !== undefined) return taken
    const username = shared ? await keepSharedLogin(needs, record) : await loginOfServer(needs, record)
    if (username === undefined)
      return waiting(`the connection secret of server ${record.spec.serverRef} is not available`)
    // Written before the first Job: from then on the server may have something under this name.
    const named = { database: nameOnServer(record), username, jobName: createJobName(record.metadata.name) }
    await writeStatus(needs.client, needs.logicalDatabases, resourceTypes.logicalDatabase, record, named)
    return undefined
  }

/** Waits for the drop Job of an earlier database of this name: it may outlive its record, and would drop this one. */
async function awaitDrop({ client }: ActivityNeeds, record: LogicalDatabase): Promise<Unmet | undefined> {
  const job = await readJob(client, systemNamespace, dropJobName(sharedNamesOf(record).username))
  if (job === undefined) return undefined
  const outcome = jobOutcome(job)
  // One that is suspended was created after its record was gone, by a worker that died before it looked.
  if (isSuspended(job)) await removeJob(client, job, { unchanged: true })
  else if (outcome === 'succeeded' || outcome === 'failed') await removeJob(client, job)
  return waiting('waiting for the earlier database of this name to be dropped')
}

/** Creates the login's Secret once. A lost one gets the connection Secret's password, or a new one if both are lost. */
async function keepSharedLogin({ client }: ActivityNeeds, record: LogicalDatabase): Promise<string> {
  const names = sharedNamesOf(record)
  const there = await readOwnSecret(client, loginSecretOf(record))
  const known = (there ?? (await readOwnSecret(client, connectionSecretOf(record))))?.values['password']
  const password = known ?? randomBytes(passwordBytes).toString('hex')
  const values = {
    ...names,
    password,
    verifier: there?.values['verifier'] ?? scramVerifier(password),
    // A later edit of the limit changes nothing (docs/reference/logical-databases.md#fields).
    connectionLimit: there?.values['connectionLimit'] ?? String(record.spec.connectionLimit ?? connectionLimit.default),
  }
  await keepSecret(client, loginSecretOf(record), values)
  return names.username
}

async function loginOfServer(
  { client, databases }: ActivityNeeds,
  { spec }: LogicalDatabase,
): Promise<string | undefined> {
  const server = await databases.read(spec.serverRef)
  return server === undefined ? undefined : (await readServerConnection(client, server))?.username
}
