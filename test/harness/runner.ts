/** The runner of a function as a process, with the code in a folder of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Runtime } from '../../kinds/apps/functions/function.ts'
import { atEnd } from './stack.ts'
import { endWithSuite } from './leftovers.ts'

const folder = join(import.meta.dirname, '../../deploy/functions')
const startMs = 20_000

export interface StartedRunner {
  url: string
  /** What it wrote by now. */
  said: () => string
  /** SIGTERM, or another; resolves with the exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** `program` runs the runtime, e.g. the path of bun. Rejects with what it wrote when it ends before it listens. */
export async function startRunner(
  runtime: Runtime,
  program: string,
  code: string,
  mode: 'http' | 'event' = 'http',
  variables: Readonly<Record<string, string>> = {},
): Promise<StartedRunner> {
  const place = await mkdtemp(join(tmpdir(), 'svc-function-'))
  atEnd(() => rm(place, { recursive: true, force: true }))
  const file = join(place, runtime === 'python' ? 'main.py' : 'index.mts')
  await writeFile(file, code)
  const runner = join(folder, runtime === 'python' ? 'runner.py' : 'javascript.mjs')
  const child = spawn(program, [runner, file, mode], {
    cwd: place,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], PORT: '0', ...variables },
  })
  endWithSuite(child, `the runner of ${runtime}`)
  let said = ''
  const gone = once(child, 'close')
  const listens = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        said += String(text)
        const port = /listens on (\d+)/.exec(said)?.[1]
        if (port !== undefined) resolve(port)
      })
  })
  const timer = AbortSignal.timeout(startMs)
  const late = once(timer, 'abort').then(() => 'late')
  const port = await Promise.race([listens, gone.then(() => 'gone'), late])
  if (port === 'gone' || port === 'late') {
    child.kill('SIGKILL')
    throw new Error(`exit code ${child.exitCode}: ${said}`)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    said: () => said,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      await gone
      return child.exitCode
    },
  }
}
