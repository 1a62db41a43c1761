/**
 * A name on a server belongs to one logical database. Its claim is a Secret whose name follows from server and name, so
 * of two records that claim a name at the same moment, the API server lets one create the Secret:
 * 1. A record that has the claim, or was created under the name, may use it.
 * 2. The name is refused if another record was created under it, or if an older record asks for it.
 * 3. Else the claim is created. A claim whose record is gone, or has another name now, is removed first.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { removeSeen } from '../../records/secrets/named-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { OwnershipConflict } from '../kube/apply-child.ts'
import { makeSecretOnce, readOwnSecret } from '../kube/own-secret.ts'
import { failing, type Unmet, waiting } from '../provision/step.ts'
import { claimOf, nameOnServer } from './own-objects.ts'

type Needs = Pick<ActivityNeeds, 'client'>

/** Undefined if the record owns the name; it does so until `dropClaims`. */
export async function claimName(needs: Needs, record: LogicalDatabase): Promise<Unmet | undefined> {
  if (record.status?.database !== undefined) return undefined
  const claim = claimOf(record)
  if ((await readOwnSecret(needs.client, claim)) !== undefined) return undefined
  const before = (other: LogicalDatabase) => other.status?.database !== undefined || isOlder(other, record)
  const other = (await othersOfName(needs, record)).find(before)
  if (other !== undefined) return taken(record, other)
  try {
    await makeSecretOnce(needs.client, claim, () => Promise.resolve({}))
    return undefined
  } catch (error) {
    if (!(error instanceof OwnershipConflict)) throw error
    return refuseClaimed(needs, record)
  }
}

/**
 * Removes all claims of a logical database, also of a name that it had before; harmless if there is none.
 */
export async function dropClaims({ client }: Needs, record: LogicalDatabase): Promise<void> {
  const { owner, purpose } = claimOf(record)
  const { items } = await client.list<KubeObject>(coreTypes.secret, {
    namespace: systemNamespace,
    labelSelector: `${labels.owner}=${owner},${labels.purpose}=${purpose}`,
    metadataOnly: true,
  })
  for (const claim of items) await removeSeen(client, coreTypes.secret, claim)
}

/** Reads the claim before it lists the records: an owner that is not listed is gone, and its claim is removed. */
async function refuseClaimed(needs: Needs, record: LogicalDatabase): Promise<Unmet> {
  const { name, namespace } = claimOf(record)
  const claim = await needs.client.get<KubeObject>({ type: coreTypes.secret, namespace, name })
  const uid = claim?.metadata.labels?.[labels.owner]
  const other = (await othersOfName(needs, record)).find(({ metadata }) => metadata.uid === uid)
  if (other !== undefined) return taken(record, other)
  if (claim !== undefined) await removeSeen(needs.client, coreTypes.secret, claim)
  return waiting('creating logical database')
}

/** Other records with the same server and name; listed live, since one may have been created a moment ago. */
async function othersOfName({ client }: Needs, { metadata, spec }: LogicalDatabase): Promise<LogicalDatabase[]> {
  const { items } = await client.list<LogicalDatabase>(resourceTypes.logicalDatabase, { namespace: systemNamespace })
  return items.filter(
    (other) =>
      other.metadata.uid !== metadata.uid &&
      other.spec.serverRef === spec.serverRef &&
      nameOnServer(other) === nameOnServer({ spec }),
  )
}

function taken(record: LogicalDatabase, { metadata }: LogicalDatabase): Unmet {
  const message = `the server has a database named ${nameOnServer(record)} already: ${metadata.name}`
  return metadata.deletionTimestamp === undefined ? failing(message) : waiting(message)
}

function isOlder(one: LogicalDatabase, other: LogicalDatabase): boolean {
  const key = ({ metadata }: LogicalDatabase) => `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`
  return key(one) < key(other)
}
