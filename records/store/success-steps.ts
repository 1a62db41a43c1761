/**
 * The log lines of an attempt that succeeded. They follow from the status of its service, so that a deploy with nothing
 * else to say leaves no log object (docs/reference/deployments.md#history-of-an-attempt).
 */
import type { App, Success } from '../../kinds/apps/kind.ts'
import { successesIn } from '../../kinds/apps/view.ts'
import { type Accepted, acceptedStep, endSteps, type LogEntry, withEntries } from './attempt-history.ts'

/** How the attempt of this record succeeded; undefined where the status does not say that it did. */
export const successOf = ({ status }: App, record: string): Success | undefined =>
  successesIn(status).find(({ id }) => id === record)

/** The lines of a success after the first one. */
export const successSteps = ({ id, startedAt, completedAt, summary, image, note }: Success): LogEntry[] =>
  endSteps(
    id,
    { phase: 'Succeeded', summary, startedAt, completedAt },
    image === undefined ? undefined : { image, note },
  )

/**
 * All lines of an attempt, oldest first.
 *
 * @param accepted undefined where its record does not say how it was accepted
 * @param logged the lines of its log object: where an earlier release wrote that, those of a success are among them. It
 * has the first line only of an attempt that failed or was run again.
 */
export function stepsOf(
  app: App,
  record: string,
  accepted: Accepted | undefined,
  logged: readonly string[],
): readonly string[] {
  const success = successOf(app, record)
  const hasFirst = accepted === undefined || logged.some((line) => /^\S+ accepted: /.test(line))
  const first = hasFirst ? [] : withEntries([], [acceptedStep(accepted)])
  return success === undefined ? [...first, ...logged] : withEntries([...first, ...logged], successSteps(success))
}
