/** `npm start` as a child process of a test, without npm. */
import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { eventually } from './temporary.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
export const startWithinMs = 90_000

/** One run, from its first line to its end. */
export class Start {
  readonly process: ChildProcess
  readonly ended: Promise<number | null>
  output = ''

  /** The arguments, after changes to its environment where there are any. */
  constructor(first: string | NodeJS.ProcessEnv, ...rest: string[]) {
    const [more, args] = typeof first === 'string' ? [{}, [first, ...rest]] : [first, rest]
    const env = { ...process.env, ...more }
    this.process = spawn(process.execPath, ['one-machine/boot.mjs', 'one-machine/start.ts', ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.process.stdout, this.process.stderr])
      stream?.on('data', (data) => (this.output += String(data)))
    this.ended = new Promise((resolve) => this.process.once('close', (code) => resolve(code)))
  }

  async untilServed(): Promise<void> {
    let code: number | null | undefined
    void this.ended.then((ended) => (code = ended))
    await eventually(() => this.output.includes('Ctrl-C stops everything') || code !== undefined, startWithinMs)
    if (code !== undefined) throw new Error(`the start ended with ${code}:\n${this.output}`)
  }

  async stop(): Promise<number | null> {
    this.process.kill('SIGINT')
    return this.ended
  }
}
