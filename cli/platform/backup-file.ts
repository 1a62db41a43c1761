/** The file of a backup of the platform, opened with the key that only the operator holds: age, gzip, JSON lines. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { restorePartBytes, restorePartEntries } from '../../contract/limits.ts'
import { backupHeader, shownEntry, type BackupHeader } from '../../contract/platform/backup-file.ts'
import { CliError } from '../session/exit-codes.ts'

export interface OpenedBackup {
  readonly header: BackupHeader
  /** JSON texts, in the order of a restore. */
  readonly entries: readonly string[]
}

/** A key file as `age-keygen` writes it, and its public key. */
export async function newKey(): Promise<{ text: string; recipient: string }> {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  return { text: `# public key: ${recipient}\n${identity}\n`, recipient }
}

/**
 * Checks the whole file: each part of it is authenticated, and it says how many entries it has.
 * @throws CliError `error` for another key, and for a file that was cut short or changed.
 */
export async function openBackup(file: Uint8Array, keyFile: string): Promise<OpenedBackup> {
  const identity = keyFile.split('\n').find((line) => line.startsWith('AGE-SECRET-KEY-1'))
  if (identity === undefined) throw new CliError('error', 'the key file has no line with AGE-SECRET-KEY-1…')
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  const whole = async (): Promise<string[]> => {
    decrypter.addIdentity(identity.trim())
    const plain = await promisify(gunzip)(await decrypter.decrypt(file))
    return plain.toString('utf8').split('\n').filter(Boolean)
  }
  // The message of the cause is left out: it says nothing that helps, and may repeat a part of the key.
  const [first = '', ...entries] = await whole().catch(() => {
    throw new CliError('error', 'the file cannot be opened: it is not sealed to this key, or not whole')
  })
  const header = backupHeader.safeParse(parsed(first)).data
  if (header === undefined || header.entries !== entries.length)
    throw new CliError('error', 'the file is no whole backup of the platform')
  return { header, entries }
}

/** Kinds by how many entries have them. */
export function countKinds(entries: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const entry of entries) {
    const kind = shownEntry.safeParse(parsed(entry)).data?.object.kind ?? 'unknown'
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}

/** The entries in parts that one request takes, packed. */
export async function* partsOf(entries: readonly string[]): AsyncGenerator<{ packed: string; entries: number }> {
  let part: string[] = []
  let bytes = 0
  const pack = async () => ({ packed: (await promisify(gzip)(part.join('\n'))).toString('base64url'), entries: part.length }) // prettier-ignore
  for (const entry of entries) {
    const size = Buffer.byteLength(entry)
    if (part.length > 0 && (part.length === restorePartEntries || bytes + size > restorePartBytes.sent)) {
      yield await pack()
      part = []
      bytes = 0
    }
    part.push(entry)
    bytes += size
  }
  if (part.length > 0) yield await pack()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the parser's own message would repeat a part of the text
  }
}
