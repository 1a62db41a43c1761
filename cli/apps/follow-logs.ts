/** Shows log lines and follows a log stream; a broken stream is resumed without repeated lines. */
import type { z } from 'zod'
import { isPassing } from '../../client/api-error.ts'
import { SeenLines } from '../../client/apps/seen-lines.ts'
import type { Client } from '../../client/client.ts'
import type { logLine } from '../../contract/fields/logs.ts'
import { logTail, streamRetryMs } from '../../contract/limits.ts'
import type { ParamsInput } from '../../contract/operations.ts'
import type { Session } from '../session/session.ts'
import { jsonText, plainLine } from '../session/terminal.ts'

type LogQuery = ParamsInput<'apps.logs-stream'>

/**
 * Ends when interrupted, and when the service is deleted meanwhile. @throws ApiError when there is no such service, or
 * its log may not be read.
 */
export async function followLogs(session: Session, client: Client, query: LogQuery): Promise<void> {
  const { terminal, signal, sleep } = session
  const seen = new SeenLines()
  let troubled = false
  let asked = query
  while (!signal.aborted) {
    try {
      const events = await client.call('apps.logs-stream', asked, { signal })
      troubled = false
      for await (const { event, data } of events) {
        if (event === 'end')
          return terminal.note('the log has ended: the service was deleted, or moved to another place')
        if (isLogLine(data) && isNew(seen, data)) printLogLine(session, data)
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error)) throw error
      if (!troubled) terminal.note(`${error.message}; trying again`)
      troubled = true
    }
    seen.reconnect()
    // As much may have been written meanwhile as is kept to be asked for.
    asked = { ...query, tail: logTail.max }
    await sleep(streamRetryMs, signal).catch(() => undefined) // an interrupt ends the loop above
  }
}

const isNew = (seen: SeenLines, { pod, container, t, line }: LogLine): boolean =>
  seen.isNew(`${pod}/${container}`, t, line)

type LogLine = z.output<typeof logLine>

/** Time, pod, text; as a JSON line with `--json`. */
export function printLogLine({ terminal, flags }: Session, line: LogLine): void {
  if (flags.json === true) return terminal.styledLine(jsonText(line))
  const { colors } = terminal
  // A pipe gets the service's line unchanged; on a terminal it must not move the cursor.
  const text = terminal.live ? plainLine(line.line) : line.line
  const shown = line.level === 'error' ? colors.red(text) : line.level === 'warn' ? colors.yellow(text) : text
  terminal.styledLine(`${colors.dim(plainLine(line.t))} ${colors.cyan(plainLine(line.pod))} ${shown}`)
}

/** Whether an event of the stream has a line. */
function isLogLine(data: unknown): data is LogLine {
  return typeof data === 'object' && data !== null && 'line' in data && typeof data.line === 'string' && 'pod' in data
}
