/** Bench 5: how soon a deploy goes on when its worker is killed, at different moments of the deploy. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { createPair, createProject, deployImage, imageOfRound } from '../rig/services.ts'
import { median } from '../rig/statistics.ts'

const name = 'resume'
const goalSeconds = 10
const restMs = 500

type Kind = 'cold' | 'warm'

const described: Record<Kind, string> = {
  cold: 'worker killed while it deploys, another started right after',
  warm: 'worker killed while it deploys, another one running',
}

export async function resume(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const project = await createProject(rig.client)
  await createPair(rig.client, project, name)
  const undisturbed: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const { began, ended } = await deployImage(rig.client, name, imageOfRound(round))
    undisturbed.push(ended - began)
    await sleep(restMs)
  }
  const span = median(undisturbed)
  const moments = Array.from({ length: quick ? 2 : 8 }, (_, place) => (place / (quick ? 2 : 8)) * span)
  const lines: Line[] = []
  for (const kind of ['cold', 'warm'] as const) lines.push(await measure(rig, kind, moments, span))
  return lines
}

async function measure(rig: Rig, kind: Kind, moments: readonly number[], span: number): Promise<Line> {
  const seconds: number[] = []
  for (const [round, moment] of moments.entries()) {
    if (kind === 'warm' && rig.workers.names().length < 2) await rig.workers.start()
    const waited = await killDuring(rig, kind, round, moment)
    if (waited !== undefined) seconds.push(waited)
    await sleep(restMs)
  }
  // Back to one worker, as before.
  for (const extra of rig.workers.names().slice(1)) rig.workers.kill(extra)
  if (seconds.length === 0) throw new Error('every deploy had ended before its worker was killed')
  const worst = Math.max(...seconds)
  return {
    bench: 5,
    work: `${described[kind]}: ready ${worst.toFixed(1)} s after the kill at worst, median ${median(seconds).toFixed(1)} s, n=${seconds.length}`,
    peer: `${goalSeconds} s (undisturbed: ${Math.round(span)} ms)`,
    ratio: worst / goalSeconds,
    goal: { atMost: 1 },
    samples: { seconds },
  }
}

/** Seconds from the kill until ready; undefined when the deploy had ended before. */
async function killDuring(rig: Rig, kind: Kind, round: number, moment: number): Promise<number | undefined> {
  const { workers } = rig
  const names = workers.names()
  const victim = names[round % names.length] ?? ''
  let killed = Number.POSITIVE_INFINITY
  let started: Promise<unknown> = Promise.resolve()
  const kill = () => {
    killed = performance.now()
    workers.kill(victim)
    if (kind === 'cold') started = workers.start()
  }
  const { ended } = await deployImage(rig.client, name, imageOfRound(round), () => setTimeout(kill, moment))
  while (killed === Number.POSITIVE_INFINITY) await sleep(restMs)
  await started
  return ended > killed ? (ended - killed) / 1000 : undefined
}
