/** Bench 19: how long after the status says that a deploy is complete the process `svc deploy --wait` has ended. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildCli } from '../../cli/bundle.ts'
import { judgeDeploy } from '../../client/wait/deploy.ts'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { createPair, createProject, imageOfRound } from '../rig/services.ts'
import { describeMs, ms, percentile } from '../rig/statistics.ts'

const name = 'wait-end'
const warmUps = 1
const withinMs = 300
const statusPollMs = 5
const restMs = 600
const deployWithinMs = 60_000

export async function waitEnd(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const bundle = await buildCli()
  await createPair(rig.client, await createProject(rig.client), name)
  const late: number[] = []
  for (let round = -warmUps; round < (quick ? 3 : 20); round += 1) {
    await rig.client.call('apps.update', { app: name, image: imageOfRound(round + warmUps + 1) })
    const took = await endAfterStatus(rig, bundle)
    if (round >= 0) late.push(took)
    await sleep(restMs)
  }
  return [
    {
      bench: 19,
      work: `svc deploy --wait ends after the status says ready: ${describeMs(late)}`,
      peer: `${ms(withinMs)}, of the 95th percentile`,
      ratio: percentile(late, 0.95) / withinMs,
      goal: { atMost: 1 },
      samples: { lateMs: late },
    },
  ]
}

/** Milliseconds; at least those of one read of the status too few, since it is read by turns. */
async function endAfterStatus(rig: Rig, bundle: string): Promise<number> {
  const before = await rig.client.call('apps.status', { app: name })
  const began = performance.now()
  const child = spawn(process.execPath, [bundle, 'deploy', name, '--wait'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SVC_URL: rig.url, SVC_TOKEN: rig.token, SVC_CONFIG: join(rig.folder, 'no-config.json') },
  })
  const ended = once(child, 'exit').then(() => performance.now())
  const readyAt = await statusReady(rig, before, began)
  const endedAt = await ended
  if (child.exitCode !== 0) throw new Error(`svc deploy --wait ended with ${child.exitCode}`)
  return endedAt - readyAt
}

async function statusReady(rig: Rig, before: Parameters<typeof judgeDeploy>[0], began: number): Promise<number> {
  for (;;) {
    const elapsedMs = performance.now() - began
    const verdict = judgeDeploy(await rig.client.call('apps.status', { app: name }), { before, elapsedMs })
    if (verdict.kind === 'complete') return performance.now()
    if (verdict.kind === 'failed') throw new Error(`the deploy of ${name} failed: ${verdict.reason}`)
    if (elapsedMs > deployWithinMs) throw new Error(`the deploy of ${name} does not end`)
    await sleep(statusPollMs)
  }
}
