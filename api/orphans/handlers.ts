/** The resources that were left in connected AWS accounts; `orphans.list` is the only operation. */
import type { OperationsOf, View } from '../../contract/operations.ts'
import { incompleteKeys } from '../../kinds/cloud-connections/credentials.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { ownerOfTags, regionOfStore, userPrefix } from '../../kinds/object-stores/remote.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { AwsAccount } from '../../outside/aws/account.ts'
import { listBuckets } from '../../outside/aws/buckets.ts'
import { listUsers, lookAtUser } from '../../outside/aws/users.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { readCloudKeys } from '../../records/cloud-connections/read-account.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const orphanHandlers = (needs: Needs) =>
  ({ 'orphans.list': list(needs) }) satisfies HandlerTable<OperationsOf<'orphans'>>

type Orphans = View<'orphans.list'>
type Orphan = Orphans['items'][number]

/**
 * An account with thousands of buckets takes one call per bucket: after this time the answer says that the list is
 * incomplete.
 */
const waitMaxMs = 20_000

/**
 * `GET /orphans`: lists all resources with svc's tag in every connected AWS account, without those that the record of a
 * store stands for. Resources at PlanetScale have no tags, so their owner cannot be known.
 */
const list =
  (needs: Needs): Handler<'orphans.list'> =>
  async () => {
    const connections = await needs.client.list<CloudConnection>(resourceTypes.cloudConnection, {
      namespace: systemNamespace,
    })
    const ofAws = connections.items.filter(({ spec }) => spec.provider === 'AWS')
    const found = await Promise.all(onePerAccount(ofAws).map((connection) => look(needs, connection)))
    // Listed after the accounts were read: a resource that was made meanwhile has its record by now.
    const { items } = await needs.client.list<ObjectStore>(resourceTypes.objectStore, { namespace: systemNamespace })
    const known = new Set(items.map(({ metadata }) => metadata.uid))
    return {
      items: eachOnce(found.flatMap(({ tagged }) => tagged)).filter(({ owner }) => !known.has(owner)),
      unanswered: found.flatMap(({ unanswered }) => unanswered),
    }
  }

/** One connection per account: two may lead to the same one. The record of a new connection has no account yet. */
function onePerAccount(connections: readonly CloudConnection[]): readonly CloudConnection[] {
  const byAccount = new Map(
    connections.map((connection) => [connection.status?.account ?? connection.metadata.name, connection]),
  )
  return [...byAccount.values()]
}

/** Each orphan once: its tags have the uid of its store, so those that are equal in all three fields are the same. */
function eachOnce(orphans: readonly Orphan[]): Orphan[] {
  return [...new Map(orphans.map((orphan) => [`${orphan.kind} ${orphan.name} ${orphan.owner}`, orphan])).values()]
}

async function look(
  { client, aws, clock }: Needs,
  connection: CloudConnection,
): Promise<{ tagged: Orphan[]; unanswered: Orphans['unanswered'] }> {
  const { metadata, spec } = connection
  const tagged: Orphan[] = []
  const ended = (message: string) => ({ tagged, unanswered: [{ connection: metadata.name, message }] })
  const stored = await readCloudKeys(client, connection)
  const incomplete = incompleteKeys(spec, stored?.keys)
  if (stored === undefined || incomplete !== '') return ended(incomplete)
  const { accessKeyId = '', secretAccessKey = '', region } = stored.keys
  const account = aws.account({ accessKeyId, secretAccessKey }, regionOfStore(undefined, spec.region, region))
  const late = clock() + waitMaxMs
  try {
    for await (const { kind, name, tags } of everything(account)) {
      const owner = ownerOfTags(tags)
      if (owner !== undefined)
        tagged.push({
          connection: metadata.name,
          project: spec.project,
          kind,
          name,
          store: owner.store,
          owner: owner.uid,
        })
      if (clock() > late) return ended('the account has more than could be looked at in time')
    }
    return { tagged, unanswered: [] }
  } catch (error) {
    if (error instanceof UpstreamError) return ended(error.message)
    throw error
  } finally {
    account.close()
  }
}

async function* everything(
  account: AwsAccount,
): AsyncGenerator<{ kind: Orphan['kind']; name: string; tags: Record<string, string> }> {
  for await (const name of listUsers(account, userPrefix))
    yield { kind: 'user', name, tags: (await lookAtUser(account, name)) ?? {} }
  for await (const { name, tags } of listBuckets(account)) yield { kind: 'bucket', name, tags }
}
