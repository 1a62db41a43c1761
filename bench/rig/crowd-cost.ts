/** What many deploys at once cost, each: processor time by process, requests to the cluster, and how long one takes. */
import { isRead, readRequests } from './audit-log.ts'
import { cpuSeconds } from './process-cost.ts'
import { within } from './request-chain.ts'
import type { Rig } from './rig.ts'
import { createPair, createProject, deployImage, imageOfRound } from './services.ts'
import { ms, percentile } from './statistics.ts'

export interface CrowdCost {
  /** Of `services` alone. */
  readonly perSecond: number
  readonly seconds: number
  /** In words, for a line of the results. */
  readonly text: string
  readonly samples: Readonly<Record<string, readonly number[]>>
}

/**
 * Runs `work`, which resolves with its milliseconds when as many services are ready, while one more service is
 * deployed again and again. Costs are shared out over all deploys, those of that one included.
 */
export async function measureCrowd(rig: Rig, services: number, work: () => Promise<number>): Promise<CrowdCost> {
  const name = `beside-${Date.now().toString(36)}`
  await createPair(rig.client, await createProject(rig.client), name)
  const before = processorTime(rig)
  const began = Date.now()
  let over = false
  const beside = deployUntil(rig, name, () => over)
  const took = await work().finally(() => (over = true))
  const single = await beside
  const deploys = services + single.length
  const spent = groupByRole(since(before, processorTime(rig)))
  const cpuMs = Object.entries(spent).map(([role, seconds]) => [role, (seconds * 1000) / deploys] as const)
  const requests = within((await readRequests(rig.auditLog)) ?? [], { began, ended: Date.now() })
  const reads = requests.filter(isRead).length / deploys
  const writes = requests.length / deploys - reads
  const p95 = percentile(single, 0.95)
  const total = cpuMs.reduce((sum, [, share]) => sum + share, 0)
  const shares = cpuMs.toSorted(([, a], [, b]) => b - a).map(([role, share]) => `${role} ${Math.round(share)}`)
  return {
    perSecond: services / (took / 1000),
    seconds: took / 1000,
    text: `each: processor ms ${Math.round(total)} (${shares.join(', ')}), ${writes.toFixed(1)} writes and ${reads.toFixed(1)} reads of svc; one deploy of 2 copies meanwhile: p95 ${ms(p95)}, n=${single.length}`,
    samples: {
      ...Object.fromEntries(cpuMs.map(([role, share]) => [`${role} cpu ms`, [share]])),
      writes: [writes],
      reads: [reads],
      singleMs: single,
    },
  }
}

/** Milliseconds of each; at least one. */
async function deployUntil(rig: Rig, name: string, isOver: () => boolean): Promise<number[]> {
  const took: number[] = []
  for (let round = 0; round === 0 || !isOver(); round += 1) {
    const { began, ended } = await deployImage(rig.client, name, imageOfRound(round))
    took.push(ended - began)
  }
  return took
}

/** Processor seconds by process: on a shared machine these mean more than the clock. */
const processorTime = (rig: Rig): Record<string, number> =>
  Object.fromEntries(Object.entries(rig.pids()).map(([name, pid]) => [name, cpuSeconds(pid)]))

/** A process that was not there before counts from its start. */
const since = (before: Record<string, number>, after: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]))

/** Workers together; controllers, scheduler, database and nodes of the cluster are the rest. */
export function groupByRole(seconds: Readonly<Record<string, number>>): Record<string, number> {
  const roles: Record<string, number> = {}
  for (const [name, spent] of Object.entries(seconds)) {
    const role = roleOf(name)
    roles[role] = (roles[role] ?? 0) + spent
  }
  return roles
}

function roleOf(process: string): string {
  if (process.startsWith('worker-')) return 'worker'
  return ['temporal', 'kube-apiserver', 'api'].includes(process) ? process : 'the rest'
}
