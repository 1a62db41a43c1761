/**
 * Brings back one object of a backup of the platform, in two steps, so that a restore may end half-way and be repeated:
 *
 * 1. `records`: it is made. What a deploy has put in effect comes back as a draft, so that no worker begins with it
 *    before the Secrets are there that carry its new uid.
 * 2. `start`: the draft becomes what it was, in one conditional write; and the users come back.
 *
 * What was made carries the id of the backup, and is left alone from then on.
 */
import type { ClusterClient } from '../../cluster/client.ts'
import { isInvalid } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { onConflict, perRequest } from '../store/retry.ts'
import { refuse } from '../../contract/problem.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { type BackupEntry, isAccountToken, recordKindOf } from '../../kinds/platform-backups/entry.ts'
import { authLabel } from '../secrets/auth-secret.ts'
import { refuseInvalid } from '../store/refuse-invalid.ts'
import { broughtBack, draftFirst } from './brought-back.ts'

/** The result for an entry: written now, there already, or nothing to do in this step. */
export type Restored = 'written' | 'there' | 'none'

export interface RestoreNeeds {
  readonly client: ClusterClient
  readonly now: () => Date
}

type Kept = KubeObject & Record<string, unknown>

/**
 * Throws Problem invalid_request for an existing object of another owner, and for an object that the API server
 * refuses.
 */
export async function restoreRecord(needs: RestoreNeeds, backup: string, entry: BackupEntry): Promise<Restored> {
  return endsSessions(entry) ? 'none' : await make(needs, backup, entry)
}

/** Restoring the users ends the session of the admin who does it, so they come last. */
const endsSessions = ({ object }: BackupEntry): boolean => object.metadata.labels?.[authLabel] === 'users'

async function make(needs: RestoreNeeds, backup: string, entry: BackupEntry): Promise<Restored> {
  const { client } = needs
  const type = typeOf(entry)
  const { name } = entry.object.metadata
  if (isAccountToken(entry.object)) throw refuse(`Secret ${name} asks the cluster for the token of an account`)
  const found = await client.get<Kept>({ type, namespace: systemNamespace, name })
  if (isOf(backup, found)) return 'there'
  const mark = { [annotations.restoredFrom]: backup }
  const wanted = await objectOf(needs, backup, entry, mark)
  if (found === undefined) await client.create<Kept>(type, wanted).catch(refuseInvalid)
  else if (isReplaced(entry, found))
    await client
      .replace<Kept>(type, withMeta(wanted, { resourceVersion: found.metadata.resourceVersion ?? '' }))
      .catch(refuseInvalid)
  else if (recordKindOf(entry.object) === undefined) return 'there'
  else throw refuse(`${entry.object.kind} ${name} is there already, and is not of this backup`)
  return 'written'
}

/** Throws Problem invalid_request for a record that step 1 did not make, and for one that the API server refuses. */
export async function startRecord(needs: RestoreNeeds, backup: string, entry: BackupEntry): Promise<Restored> {
  if (endsSessions(entry)) return await make(needs, backup, entry)
  const { client } = needs
  if (!draftFirst(entry)) return 'none'
  const type = typeOf(entry)
  const { name } = entry.object.metadata
  return await onConflict(
    perRequest,
    async () => await client.get<Kept>({ type, namespace: systemNamespace, name }),
    async (live) => {
      if (live === undefined || !isOf(backup, live)) throw refuse(`${entry.object.kind} ${name} was not brought back`)
      if (live.metadata.annotations?.[annotations.restoring] === undefined) return 'there'
      const { metadata, ...whole } = broughtBack(entry)
      const notes = { ...metadata.annotations, [annotations.restoredFrom]: backup }
      await client.replace<Kept>(type, { ...live, ...whole, metadata: { ...live.metadata, annotations: notes } })
      return 'written'
    },
  ).catch((error: unknown) => (isInvalid(error) ? refuseInvalid(error) : Promise.reject(error)))
}

function typeOf({ object }: BackupEntry): ResourceType {
  const kind = recordKindOf(object)
  if (kind !== undefined) return resourceTypes[kind]
  return object.kind === 'Secret' ? coreTypes.secret : coreTypes.configMap
}

const isOf = (backup: string, object: KubeObject | undefined): boolean =>
  object?.metadata.annotations?.[annotations.restoredFrom] === backup

/** A new install has users and may have settings; those of the backup replace them. Objects made by hand stay. */
function isReplaced({ object }: BackupEntry, found: KubeObject): boolean {
  if (recordKindOf(object) !== undefined) return recordKindOf(object) === 'platformConfig'
  return found.metadata.labels?.[labels.managedBy] === managedBySvc
}

async function objectOf(
  needs: RestoreNeeds,
  backup: string,
  entry: BackupEntry,
  mark: Record<string, string>,
): Promise<Kept> {
  const uid = await ownerUid(needs, backup, entry)
  const { metadata, ...rest } = broughtBack(entry, draftFirst(entry))
  const { [annotations.writtenAt]: written } = metadata.annotations ?? {}
  return {
    ...rest,
    metadata: {
      name: metadata.name,
      namespace: systemNamespace,
      labels: { ...metadata.labels, ...(uid === '' ? {} : { [labels.owner]: uid }) },
      annotations: {
        ...metadata.annotations,
        ...mark,
        // A sweep removes old values that no record uses: the time of the write starts anew.
        ...(written === undefined ? {} : { [annotations.writtenAt]: needs.now().toISOString() }),
      },
    },
  }
}

/** Uid of the owner; '' without one. */
async function ownerUid({ client }: RestoreNeeds, backup: string, { owner, object }: BackupEntry): Promise<string> {
  if (owner === undefined) return ''
  const ref = { type: resourceTypes[owner.kind], namespace: systemNamespace, name: owner.name }
  const record = await client.get<KubeObject>(ref)
  if (record?.metadata.uid === undefined || !isOf(backup, record))
    throw refuse(`${object.kind} ${object.metadata.name} belongs to ${ref.type.kind} ${owner.name}, which is not there`)
  return record.metadata.uid
}

const withMeta = (object: Kept, more: object): Kept => ({ ...object, metadata: { ...object.metadata, ...more } })
