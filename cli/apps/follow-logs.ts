/** Shows log lines and follows a log stream; a broken stream is resumed without repeated lines. */
import type { z } from 'zod'
import { ApiError, UnreachableError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import type { logLine } from '../../contract/fields/logs.ts'
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
  while (!signal.aborted) {
    try {
      const events = await client.call('apps.logs-stream', query, { signal })
      troubled = false
      for await (const { data } of events) if (isLogLine(data) && seen.isNew(data)) printLogLine(session, data)
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error)) throw error
      if (!troubled) terminal.note(`${error.message}; trying again`)
      troubled = true
    }
    seen.reconnect()
    await sleep(retryMs, signal).catch(() => undefined) // an interrupt ends the loop above
  }
}

/** The last shown lines by copy: a copy's lines come in the order of their times. */
class SeenLines {
  readonly #newest = new Map<string, string>()
  #shown: ReadonlyMap<string, string> = new Map()

  reconnect(): void {
    this.#shown = new Map(this.#newest)
  }

  isNew({ pod, container, t }: LogLine): boolean {
    const copy = `${pod}/${container}`
    const shown = this.#shown.get(copy)
    // Times in one format and time zone sort as text.
    if (shown !== undefined && t <= shown) return false
    this.#newest.set(copy, t)
    return true
  }
}

/** A restart of the api or a broken connection does not end the log. */
function isPassing(error: unknown): error is Error {
  return error instanceof UnreachableError || (error instanceof ApiError && error.status >= 500)
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
