/** Publishes to the metrics what became of a status: written, or the same as before. */

import { channel } from 'node:diagnostics_channel'

export type StatusOutcome = 'written' | 'skipped'

/** A channel of Node's own: without a listener publishing costs nothing. */
const outcomes = channel('svc:status')

export const publishOutcome = (outcome: StatusOutcome): void => outcomes.publish(outcome)

export function onStatus(listener: (outcome: StatusOutcome) => void): void {
  outcomes.subscribe((outcome) => listener(outcome as StatusOutcome)) // publishOutcome alone publishes
}
