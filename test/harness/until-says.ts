/** Waits for the line with which a process reports that it is ready. */
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface Saying {
  /** Name of the process in errors. */
  name: string
  /** Part of the line that reports readiness. */
  ready: string
  /** The process is killed when the line has not come by then. */
  withinMs: number
  /** Receives every line, also later ones. */
  onLine: (line: string) => void
}

const keptLines = 20

/** Rejects with the last output when the process ends first or takes too long. */
export async function untilSays(child: ChildProcess, { name, ready, withinMs, onLine }: Saying): Promise<void> {
  const lines: string[] = []
  let late = false
  const limitMs = setTimeout(() => {
    late = true
    child.kill('SIGKILL')
  }, withinMs)
  try {
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream === null) continue
        createInterface({ input: stream }).on('line', (line) => {
          if (lines.push(line) > keptLines) lines.shift()
          onLine(line)
          if (line.includes(ready)) resolve()
        })
      }
      child.once('exit', (code, signal) => {
        const why = late ? `was not ready within ${withinMs} ms` : `ended before it was ready (${code ?? signal})`
        reject(new Error(`${name} ${why}: ${lines.join('\n')}`))
      })
    })
  } finally {
    clearTimeout(limitMs)
  }
}
