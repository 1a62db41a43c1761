/** Shows log lines and follows a log stream; a broken stream is resumed without repeated lines. */
import type { z } from 'zod'
import { isPassing } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import type { logLine } from '../../contract/fields/logs.ts'
import { logTail } from '../../contract/limits.ts'
import type { ParamsInput } from '../../contract/operations.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'

type LogQuery = ParamsInput<'apps.logs-stream'>

const retryMs = 2000

/** Ends when interrupted. @throws ApiError when the service is gone or its log may not be read. */
export async function followLogs(session: Session, client: Client, query: LogQuery): Promise<void> {
  const { terminal, signal, sleep } = session
  const seen = new SeenLines()
  let troubled = false
  let asked = query
  while (!signal.aborted) {
    try {
      const events = await client.call('apps.logs-stream', asked, { signal })
      troubled = false
      for await (const { data } of events) if (isLogLine(data) && seen.isNew(data)) printLogLine(session, data)
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error)) throw error
      if (!troubled) terminal.note(`${error.message}; trying again`)
      troubled = true
    }
    seen.reconnect()
    // As much may have been written meanwhile as is kept to be asked for.
    asked = { ...query, tail: logTail.max }
    await sleep(retryMs, signal).catch(() => undefined) // an interrupt ends the loop above
  }
}

/** How far the log of each copy was shown: its lines come in the order of their times, several may have the same. */
class SeenLines {
  readonly #newest = new Map<string, { t: string; count: number }>()
  #shown = new Map<string, { t: string; count: number }>()

  reconnect(): void {
    this.#shown = new Map(Array.from(this.#newest, ([copy, last]) => [copy, { ...last }]))
  }

  isNew({ pod, container, t }: LogLine): boolean {
    const copy = `${pod}/${container}`
    const shown = this.#shown.get(copy)
    // Times in one format and time zone sort as text.
    if (shown !== undefined && (t < shown.t || (t === shown.t && shown.count-- > 0))) return false
    const last = this.#newest.get(copy)
    if (last === undefined || t > last.t) this.#newest.set(copy, { t, count: 1 })
    else if (t === last.t) last.count += 1
    return true
  }
}

type LogLine = z.output<typeof logLine>

/** Time, pod, text; as a JSON line with `--json`. */
export function printLogLine({ terminal, flags }: Session, line: LogLine): void {
  if (flags.json === true) return terminal.line(JSON.stringify(line))
  const { colors } = terminal
  // A pipe gets the service's line unchanged; on a terminal it must not move the cursor.
  const text = terminal.live ? plainText(line.line) : line.line
  const shown = line.level === 'error' ? colors.red(text) : line.level === 'warn' ? colors.yellow(text) : text
  terminal.line(`${colors.dim(line.t)} ${colors.cyan(line.pod)} ${shown}`)
}

/** Whether an event of the stream has a line. */
function isLogLine(data: unknown): data is LogLine {
  return typeof data === 'object' && data !== null && 'line' in data && typeof data.line === 'string' && 'pod' in data
}
