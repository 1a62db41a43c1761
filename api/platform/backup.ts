/**
 * `POST /api/platform/backup` and `/restore`: the records and Secrets of svc itself, encrypted for a public key, and
 * back.
 */
import { createHash, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { View } from '../../contract/operations.ts'
import type { BackupHeader } from '../../contract/platform/backup-file.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import { restorePartBytes, restorePartEntries } from '../../contract/limits.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { backupEntry, type BackupEntry } from '../../kinds/platform-backups/entry.ts'
import { collectEntries } from '../../records/platform-backups/collect.ts'
import { restoreNotes } from '../../records/platform-backups/notes.ts'
import { type Restored, restoreRecord, startRecord } from '../../records/platform-backups/restore-entry.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

const idBytes = 8

/** The backup is stored nowhere here: the answer is the file, and only the holder of the private key can decrypt it. */
export const backup =
  ({ client, clock }: Needs): Handler<'platform.backup'> =>
  async ({ params: { recipient }, respond }) => {
    respond.audit({ recipient })
    const seal = await sealFor(recipient)
    const entries = await collectEntries(client)
    const header: BackupHeader = {
      svc: 'platform-backup',
      format: 1,
      id: randomBytes(idBytes).toString('hex'),
      at: new Date(clock()).toISOString(),
      entries: entries.length,
    }
    const lines = [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join('')
    const file = await seal(await promisify(gzip)(lines))
    const sha256 = createHash('sha256').update(file).digest('hex')
    return { id: header.id, at: header.at, entries: entries.length, file: Buffer.from(file).toString('base64'), sha256 }
  }

async function sealFor(recipient: string): Promise<(plain: Uint8Array) => Promise<Uint8Array>> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  try {
    encrypter.addRecipient(recipient)
  } catch (error) {
    throw refuse('recipient is no public key of age: a character of it is wrong', error)
  }
  return async (plain) => await encrypter.encrypt(plain)
}

/** Restores one part of a backup. The answer lists the objects that the API server refuses; all others are restored. */
export const restore =
  ({ client, clock }: Needs): Handler<'platform.restore'> =>
  async ({ params: { backup: id, step, entries }, respond }) => {
    respond.audit({ backup: id })
    const part = await entriesIn(entries)
    await refuseUnlessEmpty(client, id)
    const needs = { client, now: () => new Date(clock()) }
    const view: View<'platform.restore'> = { ok: true, written: 0, there: 0, refused: [], notes: [] }
    for (const entry of part) {
      const { kind, metadata } = entry.object
      try {
        const outcome = await (step === 'records' ? restoreRecord : startRecord)(needs, id, entry)
        count(view, outcome)
        if (step === 'start') view.notes.push(...(await restoreNotes(client, entry)))
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        view.refused.push({ kind, name: metadata.name, error: error.message })
      }
    }
    return view
  }

function count(view: View<'platform.restore'>, outcome: Restored): void {
  if (outcome !== 'none') view[outcome] += 1
}

/** Refusals never repeat the unreadable text, which has Secrets in it. */
async function entriesIn(packed: string): Promise<BackupEntry[]> {
  const unreadable = (): Problem => refuse('entries must be lines of a backup of the platform, packed by svc')
  let lines: string[]
  try {
    const plain = await promisify(gunzip)(Buffer.from(packed, 'base64url'), { maxOutputLength: restorePartBytes.taken })
    lines = plain.toString('utf8').split('\n').filter(Boolean)
  } catch {
    throw unreadable()
  }
  if (lines.length > restorePartEntries) throw refuse(`entries must be at most ${restorePartEntries}`)
  return lines.map((line) => {
    const entry = parsed(line)
    if (entry === undefined) throw unreadable()
    return entry
  })
}

function parsed(line: string): BackupEntry | undefined {
  try {
    return backupEntry.safeParse(JSON.parse(line)).data
  } catch {
    return undefined // the parser's own message would repeat a part of the text
  }
}

/** Projects that are not of this backup could have the same names, buckets and hosts as those in it. */
async function refuseUnlessEmpty(client: Needs['client'], id: string): Promise<void> {
  const { items } = await client.list<KubeObject>(resourceTypes.project, {
    namespace: systemNamespace,
    metadataOnly: true,
  })
  const other = items.find(({ metadata }) => metadata.annotations?.[annotations.restoredFrom] !== id)
  if (other !== undefined)
    throw refuse(`project ${other.metadata.name} is there and not of this backup: restore into an empty cluster`)
}
