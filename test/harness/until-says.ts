/** Waits for the line with which a process says that it is ready. */
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface Saying {
  /** What the process is called in errors. */
  name: string
  /** Part of the line it prints when it is ready. */
  ready: string
  /** It is ended when it has not said so by then. */
  withinMs: number
  /** Hears everything it prints, also later. */
  onLine: (line: string) => void
}

const toldLines = 20

/** Rejects with what it printed last when the process ends before, or took too long. */
export async function untilSays(child: ChildProcess, { name, ready, withinMs, onLine }: Saying): Promise<void> {
  const lines: string[] = []
  let late = false
  const patience = setTimeout(() => {
    late = true
    child.kill('SIGKILL')
  }, withinMs)
  try {
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream === null) continue
        createInterface({ input: stream }).on('line', (line) => {
          if (lines.push(line) > toldLines) lines.shift()
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
    clearTimeout(patience)
  }
}
