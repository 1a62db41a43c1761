/**
 * Letting a record go whose cloud cannot be asked any more: the intent beside the spec
 * (docs/reference/databases.md#abandoning).
 */
import { annotations } from '../meta/annotations.ts'
import type { Resource } from '../meta/resource.ts'

type Noted = Pick<Resource<unknown, unknown>, 'metadata'>

/** The value is the name of the record, so that an annotation that was copied to another one means nothing there. */
export const isNotedAbandoned = ({ metadata }: Noted): boolean =>
  metadata.annotations?.[annotations.abandon] === metadata.name

/**
 * Whether its removal asks the cloud nothing. One that is not being deleted is never abandoned, whatever its annotation
 * says.
 */
export const isAbandoned = (record: Noted): boolean =>
  record.metadata.deletionTimestamp !== undefined && isNotedAbandoned(record)
