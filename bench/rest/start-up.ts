/** Bench 18: how long `svc version` takes without a service, against Node doing nothing, by turns. */
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
  const samples: Record<'bundle' | 'executable' | 'node', number[]> = { bundle: [], executable: [], node: [] }
  for (let round = -warmUps; round < (quick ? 3 : rounds); round += 1) {
    const took = {
      node: await timed(process.execPath, ['-e', '0'], env),
      bundle: await timed(process.execPath, [bundle, 'version'], env),
      executable: await timed(executable, ['version'], env),
    }
    if (round < 0) continue
    for (const part of ['bundle', 'executable', 'node'] as const) samples[part].push(took[part])
  }
  const peer = `node -e 0: ${describeMs(samples.node)}`
  const lineOf = (part: 'bundle' | 'executable', what: string): Line => ({
    bench: 18,
    work: `svc version without a service, ${what}: ${describeMs(samples[part])}`,
    peer,
    ratio: median(samples[part]) / median(samples.node),
    goal,
    samples: { [`${part}Ms`]: samples[part], nodeMs: samples.node },
  })
  return [lineOf('bundle', 'dist/svc.mjs'), lineOf('executable', 'the single executable')]
}

/** From the start of the process to its end. */
async function timed(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const start = performance.now()
  const child = spawn(program, args, { env, stdio: 'ignore' })
  await once(child, 'exit')
  if (child.exitCode !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${child.exitCode}`)
  return performance.now() - start
}
