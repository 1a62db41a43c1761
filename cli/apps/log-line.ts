/** How one line of a log is shown: time, pod, text; as a JSON line with `--json`. */
import type { z } from 'zod'
import type { logLine } from '../../contract/log-fields.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'

export type LogLine = z.output<typeof logLine>

export function printLogLine({ terminal, flags }: Session, line: LogLine): void {
  if (flags.json === true) return terminal.line(JSON.stringify(line))
  const { colors } = terminal
  // A pipe gets the line as the service wrote it; on a terminal it must not move the cursor.
  const text = terminal.live ? plainText(line.line) : line.line
  const shown = line.level === 'error' ? colors.red(text) : line.level === 'warn' ? colors.yellow(text) : text
  terminal.line(`${colors.dim(line.t)} ${colors.cyan(line.pod)} ${shown}`)
}

/** Whether an event of the stream carries a line. */
export function isLogLine(data: unknown): data is LogLine {
  return typeof data === 'object' && data !== null && 'line' in data && typeof data.line === 'string' && 'pod' in data
}
