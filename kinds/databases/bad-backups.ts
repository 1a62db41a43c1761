/**
 * That the backups of a database are bad, as its record holds it until they are well again
 * (docs/reference/backups.md#telling-webhooks): so webhooks are notified once, whichever process dies in between.
 */
import { z } from 'zod'
import { annotations } from '../meta/annotations.ts'
import type { Database } from './kind.ts'

const badBackups = z.object({ since: z.iso.datetime(), message: z.string() })

export type BadBackups = z.output<typeof badBackups>

/** Undefined where they are well, and where the annotation was edited into something else. */
export function badBackupsOf({ metadata }: Pick<Database, 'metadata'>): BadBackups | undefined {
  const text = metadata.annotations?.[annotations.badBackups]
  if (text === undefined) return undefined
  try {
    return badBackups.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Undefined where the record says so already. */
export function withBadBackups<T extends Pick<Database, 'metadata'>>(
  database: T,
  bad: BadBackups | undefined,
): T | undefined {
  if ((bad === undefined) === (badBackupsOf(database) === undefined)) return undefined
  const { [annotations.badBackups]: _, ...others } = database.metadata.annotations ?? {}
  const noted = bad === undefined ? others : { ...others, [annotations.badBackups]: JSON.stringify(bad) }
  return { ...database, metadata: { ...database.metadata, annotations: noted } }
}
