/** Bench 4: what svc's own processes do while nothing happens. */
import { setTimeout as sleep } from 'node:timers/promises'
import { standardPolicy } from '../../durable/policy.ts'
import type { Line } from '../rig/line.ts'
import { cpuSeconds } from '../rig/process-cost.ts'
import type { Population } from '../rig/population.ts'
import type { Rig } from '../rig/rig.ts'
import { countWrites } from '../rig/audit-log.ts'
import { countActions } from '../rig/temporal-actions.ts'

const restMs = 10_000
const goalOfACore = 0.05

export async function idle(
  rig: Rig,
  population: Population,
  { quick, services }: { quick: boolean; services: number },
): Promise<Line[]> {
  await population.grow(services)
  return await measureIdle(rig, { bench: 4, what: `${population.count} ready services`, quick })
}

/** Watches svc's own processes while there are no requests, and no resync is due. */
export async function measureIdle(
  rig: Rig,
  { bench, what, quick }: { bench: number; what: string; quick: boolean },
): Promise<Line[]> {
  const windowMs = quick ? 10_000 : 60_000
  await sleep(restMs)
  await awayFromResync(windowMs)
  const before = await look(rig)
  await sleep(windowMs)
  const after = await look(rig)
  const seconds = (after.at - before.at) / 1000
  const core = (after.cpu - before.cpu) / seconds
  const where = `${what}, idle ${Math.round(seconds)} s`
  return [
    {
      bench,
      work: `${where}: ${after.actions - before.actions} Temporal actions`,
      peer: 'none between two resyncs',
      ratio: after.actions - before.actions,
      goal: { atMost: 0 },
    },
    {
      bench,
      work: `${where}: ${after.writes - before.writes} writes to the cluster by svc`,
      peer: 'none',
      ratio: after.writes - before.writes,
      goal: { atMost: 0 },
    },
    {
      bench,
      work: `${where}: api and worker use ${(core * 100).toFixed(2)} % of a core`,
      peer: `${goalOfACore * 100} %`,
      ratio: core / goalOfACore,
      goal: { atMost: 1 },
    },
  ]
}

async function look(rig: Rig) {
  const pids = [rig.apiPid(), ...rig.workers.names().map((name) => rig.workers.pid(name))]
  const [actions, writes] = await Promise.all([countActions(rig.temporalMetrics), countWrites(rig.auditLog)])
  return { at: performance.now(), actions, writes, cpu: pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0) }
}

/** Schedules tick at multiples of their interval since 1970; the resync's own work is not idleness. */
async function awayFromResync(windowMs: number): Promise<void> {
  const margin = 5_000
  const left = standardPolicy.resyncMs - (Date.now() % standardPolicy.resyncMs)
  const since = standardPolicy.resyncMs - left
  if (left < windowMs + margin) await sleep(left + margin)
  else if (since < margin) await sleep(margin - since)
}
