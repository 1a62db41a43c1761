/**
 * The annotation that the backups of a database are bad, kept until they are well again
 * (docs/reference/backups.md#telling-webhooks): webhooks are thus notified once, whichever process dies in between.
 */
import { z } from 'zod'
import { parsedBy } from '../../contract/json/parsed-by.ts'
import { annotations } from '../meta/annotations.ts'
import type { Database } from './kind.ts'

const badBackups = z.object({ since: z.iso.datetime(), message: z.string() })

export type BadBackups = z.output<typeof badBackups>

/** Undefined where the backups are well, and where the annotation was edited into something else. */
export function badBackupsOf({ metadata }: Pick<Database, 'metadata'>): BadBackups | undefined {
  const text = metadata.annotations?.[annotations.badBackups]
  return text === undefined ? undefined : parsedBy(badBackups, text)
}

/** The database with the annotation set or removed; undefined where nothing changes. */
export function withBadBackups<T extends Pick<Database, 'metadata'>>(
  database: T,
  bad: BadBackups | undefined,
): T | undefined {
  if ((bad === undefined) === (badBackupsOf(database) === undefined)) return undefined
  const { [annotations.badBackups]: _, ...others } = database.metadata.annotations ?? {}
  const noted = bad === undefined ? others : { ...others, [annotations.badBackups]: JSON.stringify(bad) }
  return { ...database, metadata: { ...database.metadata, annotations: noted } }
}
