/**
 * Whether the history of an attempt that succeeded is complete: `<app>-active` is written as `Available` after all else
 * of it (docs/reference/deployments.md#history-of-an-attempt).
 */

import type { ServiceView } from './view.ts'

/** What the rule needs of the record `<app>-active`. */
interface Active {
  status?: { phase?: string | undefined; startedAt?: string | undefined } | undefined
}

/** `at`: when the attempt was accepted, as the attempt and its deployment record have it. */
export const isInHistory = (active: Active | undefined, at: string | undefined): boolean =>
  active?.status?.phase === 'Available' && active.status.startedAt === at

/** True when the attempt in force succeeded and its worker died before its history was written. */
export function lacksHistory({ app, attempt }: ServiceView, active: Active | undefined): boolean {
  const last = app.status?.lastAttempt
  return (
    attempt !== undefined &&
    last?.id === attempt.record &&
    last.phase === 'Succeeded' &&
    !isInHistory(active, attempt.at)
  )
}
