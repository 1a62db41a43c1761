/**
 * Bench 8: 200 callers at once, mixed over the ten commonest reads, against a bare Koa that sends the same bytes, by
 * turns.
 */
import autocannon from 'autocannon'
import type { Line } from '../rig/line.ts'
import { startBareKoa } from '../peers/bare-koa.ts'
import type { Rig } from '../rig/rig.ts'
import { createDrafts, createProject, createServices, untilReady } from '../rig/services.ts'
import { median } from '../rig/statistics.ts'

const callers = 200
const services = 20

export async function mixedReads(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const project = await createProject(rig.client)
  await createServices(rig.client, project, ['mixed-1'])
  await untilReady(rig.client, project, 1)
  await createDrafts(
    rig.client,
    project,
    Array.from({ length: services - 1 }, (_, place) => `mixed-${place + 2}`),
  )
  const paths = readsOf(project)
  const headers = { authorization: `Bearer ${rig.token}` }
  const bodies = await Promise.all(paths.map(async (path) => bytesAt(rig.url + path, headers)))
  const koa = await startBareKoa(rig.folder, bodies)
  try {
    const own: Latency[] = []
    const peer: Latency[] = []
    const ownPaths = paths
    const koaPaths = bodies.map((_, place) => new URL(koa.url(place)).pathname)
    await latency(rig.url, ownPaths, headers, true) // once for nothing, while the code of both gets compiled
    await latency(new URL(koa.url(0)).origin, koaPaths, headers, true)
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      own.push(await latency(rig.url, ownPaths, headers, quick))
      peer.push(await latency(new URL(koa.url(0)).origin, koaPaths, headers, quick))
    }
    return (['p50', 'p99'] as const).map((part) => compare(part, own, peer))
  } finally {
    await koa.stop()
  }
}

/** Answered from the cache; `variables` reads a Secret of the cluster each time, and would measure that. */
const readsOf = (project: string): string[] => [
  '/api/v1/version',
  '/api/v1/me',
  '/api/v1/projects',
  `/api/v1/projects/${project}`,
  `/api/v1/apps?project=${project}`,
  '/api/v1/apps/mixed-1',
  '/api/v1/apps/mixed-1/status',
  '/api/v1/apps/mixed-1/deployments',
  '/api/v1/apps/mixed-1/runtime',
  '/api/v1/nodes',
]

function compare(part: keyof Latency, own: readonly Latency[], peer: readonly Latency[]): Line {
  // Two in, two out.
  const [ownMs, peerMs] = [own, peer].map((all) => all.map((each) => each[part])) as [number[], number[]]
  return {
    bench: 8,
    work: `${callers} callers over ten reads, ${part}: ${median(ownMs)} ms`,
    peer: `bare Koa, same bytes: ${median(peerMs)} ms`,
    // autocannon counts whole milliseconds.
    ratio: median(ownMs) / Math.max(1, median(peerMs)),
    goal: { atMost: 2 },
    samples: { svcMs: ownMs, koaMs: peerMs },
  }
}

interface Latency {
  readonly p50: number
  readonly p99: number
}

/** Throws when anything but 2xx was answered: refusals are quick and would look good. */
async function latency(
  url: string,
  paths: readonly string[],
  headers: Record<string, string>,
  quick: boolean,
): Promise<Latency> {
  const {
    latency: found,
    non2xx,
    errors,
  } = await autocannon({
    url,
    connections: callers,
    duration: quick ? 1 : 6,
    headers,
    requests: paths.map((path) => ({ path })),
  })
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} refusals, ${errors} errors`)
  return found
}

async function bytesAt(url: string, headers: Record<string, string>): Promise<Uint8Array> {
  const answer = await fetch(url, { headers })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return new Uint8Array(await answer.arrayBuffer())
}
