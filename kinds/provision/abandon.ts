/**
 * Whether a record is abandoned: removed without a call to its cloud, which no longer answers. The intent is an
 * annotation beside the spec (docs/reference/databases.md#abandoning).
 */
import { annotations } from '../meta/annotations.ts'
import type { Resource } from '../meta/resource.ts'

type Noted = Pick<Resource<unknown, unknown>, 'metadata'>

/**
 * The value of the annotation is the name of the record, so that an annotation copied to another record has no effect.
 */
export const isNotedAbandoned = ({ metadata }: Noted): boolean =>
  metadata.annotations?.[annotations.abandon] === metadata.name

/**
 * Whether the record is removed without a call to its cloud. A record that is not being deleted is never abandoned,
 * whatever its annotation is.
 */
export const isAbandoned = (record: Noted): boolean =>
  record.metadata.deletionTimestamp !== undefined && isNotedAbandoned(record)
