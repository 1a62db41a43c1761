/**
 * Where the lines of the log go: those of reads in batches, audit lines and trouble at once, since they must not die
 * with the process.
 */
import { pino, type DestinationStream } from 'pino'

const batchBytes = 4096
/** How long a line may wait for others. */
const batchMs = 200
const trouble = 40

/** Synchronous either way: what was written is with the operating system. */
export function createLogOutput(fd = 1): DestinationStream {
  const out = pino.destination({ fd, sync: true, minLength: batchBytes })
  let waiting: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(waiting)
    waiting = undefined
    out.flushSync()
  }
  /** Lines of reads are worth no wait for the disk. */
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

/** As pino's own `isoTime`; many lines of one millisecond have one text. */
export function lineTime(): string {
  const ms = Date.now()
  if (ms !== timed.ms) timed = { ms, text: `,"time":"${new Date(ms).toISOString()}"` }
  return timed.text
}

/** pino writes the level first, `{"level":30,`, and our audit lines carry this field. */
const levelAt = '{"level":'.length
const auditMark = '"audit":true'
