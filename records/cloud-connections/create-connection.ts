/** Connects a project to a cloud account: the keys in a Secret, then the record that says whose they are. */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists, isConflict, isUnreachable } from '../../cluster/objects/errors.ts'
import { type Sent, sentVersionOf } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { onConflict, perRequest } from '../../cluster/retry.ts'
import { dataOf } from '../../cluster/objects/secret-data.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import {
  type CloudConnection,
  type CloudConnectionSpec,
  cloudConnectionSpec,
} from '../../kinds/cloud-connections/kind.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { RecordStore } from '../store/record-store.ts'
import { refuseInvalid } from '../store/refuse-invalid.ts'

export interface ConnectionNeeds {
  client: ClusterClient
  projects: RecordStore<Project>
  cloudConnections: RecordStore<CloudConnection>
  now: () => Date
}

export interface NewConnection {
  name: string
  provider: CloudConnectionSpec['provider']
  project: string
  /** Empty for none. */
  region: string
  organization: string
  /** Plain texts by key of the Secret; in no answer, log or error. */
  keys: Readonly<Record<string, string>>
}

type Secret = Sent<V1Secret>

const keysPurpose = secretPurposes.cloudKeys
export const keysName = (connection: string): string => `${connection}-credentials`
/** Another request's keys that no connection uses yet stay for so long: that request may be under way. */
const othersMs = 30_000

/**
 * 1. The Secret `<name>-credentials` (docs/reference/projects.md#cloud-connections). 2. The project, and the Secret
 * goes again when that is refused. 3. The record. Dying after 1 leaves keys without a connection: the same request goes
 * on from there, another one takes the name over after half a minute, and the resync sweeps them. Throws Problem
 * not_found, invalid_request.
 */
export async function createConnection(needs: ConnectionNeeds, wanted: NewConnection): Promise<CloudConnection> {
  // No label and no record takes what cannot be the ID of a project.
  if (!cloudConnectionSpec.shape.project.safeParse(wanted.project).success)
    throw new Problem('not_found', 'project not found')
  const record = recordOf(wanted)
  const known = await needs.cloudConnections.readLive(wanted.name)
  if (known !== undefined) return repeated(needs, known, record, wanted)
  const secret = await writeKeys(needs, wanted)
  try {
    await refuseMissing(needs, wanted.project)
    const created = await needs.cloudConnections.create(record).catch(refuseInvalid)
    // This and a deletion of the project each look for the other after their own write, so at least one of the two sees
    // it: the connection is removed here, or with the project.
    await refuseMissing(needs, wanted.project).catch(async (refusal: unknown) => {
      await needs.cloudConnections.remove(wanted.name, created.metadata.uid ?? '')
      throw refusal
    })
    return created
  } catch (error) {
    // The very same request made the record meanwhile: the keys are its own.
    const made = isAlreadyExists(error) ? await needs.cloudConnections.readLive(wanted.name) : undefined
    if (made !== undefined) return repeated(needs, made, record, wanted)
    // Whether the record was made is unknown when its answer was lost: what is there stays, for the next try or the
    // sweep.
    if (!isUnreachable(error)) await removeKeys(needs.client, secret)
    throw error
  }
}

/** The answer to a request whose first answer was lost; anything else finds the name taken. */
async function repeated(
  needs: ConnectionNeeds,
  known: CloudConnection,
  record: CloudConnection,
  { name, keys }: NewConnection,
): Promise<CloudConnection> {
  const secret = await readKeys(needs.client, name)
  if (canonical(known.spec) !== canonical(record.spec) || canonical(secret?.data) !== canonical(dataOf(keys)))
    throw refuse(`the name ${name} is already used`)
  return known
}

async function refuseMissing({ projects }: ConnectionNeeds, name: string): Promise<void> {
  const project = await projects.readLive(name)
  if (project === undefined) throw new Problem('not_found', 'project not found')
  if (project.metadata.deletionTimestamp !== undefined) throw refuse('the project is being deleted')
}

/** Written again also when they are the same, so that the sweep sees that they are wanted. */
async function writeKeys(needs: ConnectionNeeds, wanted: NewConnection): Promise<Secret> {
  const read = () => readKeys(needs.client, wanted.name)
  return onConflict(perRequest, read, async (known) => {
    if (known !== undefined) refuseOthers(known, wanted, needs.now().getTime())
    const secret = secretOf(wanted, needs.now())
    if (known === undefined) return needs.client.create(coreTypes.secret, secret)
    return needs.client.replace(coreTypes.secret, {
      ...secret,
      metadata: { ...secret.metadata, ...sentVersionOf(known) },
    })
  })
}

/**
 * Throws Problem invalid_request for a Secret that is no keys of ours, and for fresh ones that another request wrote.
 */
function refuseOthers(known: Secret, { name, project, keys }: NewConnection, now: number): void {
  if (known.metadata.labels?.[labels.purpose] !== keysPurpose) throw refuse(`the name ${name} is already used`)
  const same = canonical(known.data) === canonical(dataOf(keys)) && known.metadata.labels[labels.project] === project
  const written = Date.parse(known.metadata.annotations?.[annotations.writtenAt] ?? '')
  if (!same && now - written < othersMs)
    throw refuse(`the name ${name} is being used by another request; try again in a moment`)
}

async function readKeys(client: ClusterClient, connection: string): Promise<Secret | undefined> {
  return client.get<Secret>({ type: coreTypes.secret, namespace: systemNamespace, name: keysName(connection) })
}

/** Unless they were written again meanwhile. */
async function removeKeys(client: ClusterClient, secret: Secret): Promise<void> {
  try {
    await client.delete(
      { type: coreTypes.secret, namespace: systemNamespace, name: secret.metadata.name },
      sentVersionOf(secret),
    )
  } catch (error) {
    if (!isConflict(error)) throw error
  }
}

const owned = (project: string) => ({ [labels.managedBy]: managedBySvc, [labels.project]: project })

function secretOf({ name, project, keys }: NewConnection, now: Date): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: keysName(name),
      namespace: systemNamespace,
      labels: { ...owned(project), [labels.purpose]: keysPurpose },
      annotations: { [annotations.writtenAt]: now.toISOString() },
    },
    type: 'Opaque',
    data: dataOf(keys),
  }
}

function recordOf({ name, provider, project, region, organization }: NewConnection): CloudConnection {
  const type = resourceTypes.cloudConnection
  return {
    apiVersion,
    kind: type.kind,
    metadata: { name, namespace: systemNamespace, labels: owned(project) },
    spec: cloudConnectionSpec.parse({ provider, project, secretRef: { name: keysName(name) }, region, organization }),
  }
}
