/** Connects a project to a cloud account: the keys in a Secret, then the record that refers to it. */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists, isConflict, isUnreachable } from '../../cluster/objects/errors.ts'
import { type Sent, sentVersionOf } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { onConflict, perRequest } from '../store/retry.ts'
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
  /** Empty for no region. */
  region: string
  organization: string
  /** Who asked for it; the run of the connection says so. */
  actor?: string
  /** Plain texts by key of the Secret; never in an answer, a log or an error. */
  keys: Readonly<Record<string, string>>
}

type Secret = Sent<V1Secret>

const keysPurpose = secretPurposes.cloudKeys
export const keysName = (connection: string): string => `${connection}-credentials`
/** So long the keys of another request stay that no connection uses yet: that request may still be running. */
const othersMs = 30_000

/**
 * 1. The Secret `<name>-credentials` (docs/reference/projects.md#cloud-connections). 2. The project is checked, and the
 * Secret deleted on a refusal. 3. The record. A crash after 1 leaves keys without a connection: the same request
 * continues from there, another request takes the name after half a minute, and the resync deletes them. Throws Problem
 * not_found, invalid_request.
 */
export async function createConnection(needs: ConnectionNeeds, wanted: NewConnection): Promise<CloudConnection> {
  // A text that cannot be a project ID is valid neither in a label nor in a record.
  if (!cloudConnectionSpec.shape.project.safeParse(wanted.project).success)
    throw new Problem('not_found', 'project not found')
  const record = recordOf(wanted)
  const known = await needs.cloudConnections.readLive(wanted.name)
  if (known !== undefined) return repeated(needs, known, record, wanted)
  const secret = await writeKeys(needs, wanted)
  try {
    await refuseMissing(needs, wanted.project)
    const created = await needs.cloudConnections.create(record).catch(refuseInvalid)
    // This request and a deletion of the project each look for the other after their own write, so at least one of the
    // two sees it: the connection is removed here, or with the project.
    await refuseMissing(needs, wanted.project).catch(async (refusal: unknown) => {
      const { uid = '', creationTimestamp: at = '' } = created.metadata
      await needs.cloudConnections.remove(wanted.name, uid, { actor: '', at })
      throw refusal
    })
    return created
  } catch (error) {
    // An identical request created the record meanwhile: the keys are the same.
    const made = isAlreadyExists(error) ? await needs.cloudConnections.readLive(wanted.name) : undefined
    if (made !== undefined) return repeated(needs, made, record, wanted)
    // After a lost answer it is not known whether the record exists: the keys stay, for the next try or the sweep.
    if (!isUnreachable(error)) await removeKeys(needs.client, secret)
    throw error
  }
}

/** Answers a repeated identical request; for any other the name is taken. */
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

/** Written again even when equal, so that the sweep sees a recent write. */
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
 * Throws Problem invalid_request for a Secret that svc did not make for keys, and for recent keys of another request.
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

/** Not deleted if they were written again meanwhile. */
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

function recordOf({ name, provider, project, region, organization, actor }: NewConnection): CloudConnection {
  const type = resourceTypes.cloudConnection
  const asked = actor === undefined ? {} : { annotations: { [annotations.askedBy]: actor } }
  return {
    apiVersion,
    kind: type.kind,
    metadata: { name, namespace: systemNamespace, labels: owned(project), ...asked },
    spec: cloudConnectionSpec.parse({ provider, project, secretRef: { name: keysName(name) }, region, organization }),
  }
}
