/** The shape of the tables of messages in `docs/conditions.md`. */
import type { eventReasons } from '../../../kinds/meta/event-reasons.ts'

/** A reason, one that becomes another after repeated failures, or an Event without a condition. */
export type Said<Reason extends string> = Reason | `${Reason}, then ${Reason}` | `Event ${keyof typeof eventReasons}`

/** Message and remark are Markdown, with `…` for the rest of a sentence; the test is `file: title`. */
export type Row<Reason extends string> = readonly [reason: Said<Reason>, message: string, test: string]

export interface Section<Reason extends string> {
  /** Markdown, including its `#`. */
  heading: string
  intro?: string
  rows: readonly Row<Reason>[]
}
