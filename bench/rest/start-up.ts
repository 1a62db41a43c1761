/**
 * Bench 18: how long commands take that ask no service, against Node doing nothing, by turns: `svc version`, which is
 * answered before the program is read, and `svc config get-contexts`, which goes the way of every other command.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buildCli } from '../../cli/bundle.ts'
import { buildExecutable } from '../../cli/executable.ts'
import type { Line } from '../rig/line.ts'
import { describeMs, median } from '../rig/statistics.ts'

const rounds = 20
const warmUps = 2
const goal = { atMost: 1.3 }

/** @param folder where the executable is built; nothing is saved in it. */
export async function startUp(folder: string, { quick }: { quick: boolean }): Promise<Line[]> {
  const place = join(folder, 'start-up')
  await mkdir(place, { recursive: true })
  const [bundle, executable] = [await buildCli(), await buildExecutable(place)]
  const env = { PATH: process.env['PATH'], SVC_CONFIG: join(place, 'none.json') }
  const usual = ['config', 'get-contexts']
  const asked = {
    node: [process.execPath, '-e', '0'],
    'dist/svc.mjs version': [process.execPath, bundle, 'version'],
    'the single executable, version': [executable, 'version'],
    'dist/svc.mjs config get-contexts': [process.execPath, bundle, ...usual],
    'the single executable, config get-contexts': [executable, ...usual],
  } as const
  const samples = new Map<string, number[]>(Object.keys(asked).map((what) => [what, []]))
  for (let round = -warmUps; round < (quick ? 3 : rounds); round += 1)
    for (const [what, [program, ...args]] of Object.entries(asked)) {
      const ms = await timed(program, args, env)
      if (round >= 0) samples.get(what)?.push(ms)
    }
  const nodeMs = samples.get('node') ?? []
  samples.delete('node')
  return [...samples].map(([what, took]) => ({
    bench: 18,
    work: `without a service, ${what}: ${describeMs(took)}`,
    peer: `node -e 0: ${describeMs(nodeMs)}`,
    ratio: median(took) / median(nodeMs),
    goal,
    samples: { tookMs: took, nodeMs },
  }))
}

/** From the start of the process to its end. */
async function timed(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const start = performance.now()
  const child = spawn(program, args, { env, stdio: 'ignore' })
  await once(child, 'exit')
  if (child.exitCode !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${child.exitCode}`)
  return performance.now() - start
}
