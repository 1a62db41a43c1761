/**
 * The first line of a backup of the platform: what it says of itself; one entry a line follows
 * (docs/guides/recovery.md).
 */
import { z } from 'zod'

export const backupHeader = z.object({
  svc: z.literal('platform-backup'),
  format: z.literal(1),
  /** Names this backup; restored objects carry it. */
  id: z.string().regex(/^[0-9a-f]{16}$/),
  /** RFC 3339. */
  at: z.string(),
  entries: z.number().int().min(0),
})

export type BackupHeader = z.output<typeof backupHeader>

/** The part of an entry that is shown to a person. */
export const shownEntry = z.object({ object: z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) }) })
