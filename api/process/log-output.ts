/**
 * The output of the log: lines of reads in batches, audit lines and warnings at once, since they must not be lost with
 * the process.
 */
import { pino, type DestinationStream } from 'pino'

const batchBytes = 4096
/** The longest time that a line waits for others. */
const batchMs = 200
const trouble = 40

/** Both kinds of writes are synchronous: a written line has been passed to the operating system. */
export function createLogOutput(fd = 1): DestinationStream {
  const out = pino.destination({ fd, sync: true, minLength: batchBytes })
  let waiting: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(waiting)
    waiting = undefined
    out.flushSync()
  }
  /** Without a sync to the disk, which lines of reads are not worth. */
  const flushReads = (): void => {
    waiting = undefined
    out.flush()
  }
  process.once('exit', flush)
  return {
    write(line) {
      out.write(line)
      if (Number(line.slice(levelAt, levelAt + 2)) >= trouble || line.includes(auditMark)) flush()
      else waiting ??= setTimeout(flushReads, batchMs)
    },
  }
}

let timed = { ms: 0, text: '' }

/** As pino's own `isoTime`; all lines of one millisecond share one text. */
export function lineTime(): string {
  const ms = Date.now()
  if (ms !== timed.ms) timed = { ms, text: `,"time":"${new Date(ms).toISOString()}"` }
  return timed.text
}

/** pino writes the level first, `{"level":30,`, and svc's audit lines have this field. */
const levelAt = '{"level":'.length
const auditMark = '"audit":true'
