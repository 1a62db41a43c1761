/** Bench 3: reads per second from one api process, against a bare Koa that sends the same bytes, by turns. */
import autocannon from 'autocannon'
import type { Line } from '../rig/line.ts'
import { type BareKoa, startBareKoa } from '../peers/bare-koa.ts'
import type { Rig } from '../rig/rig.ts'
import { createDrafts, createProject, createServices, untilReady } from '../rig/services.ts'
import { median } from '../rig/statistics.ts'

const connections = 8

interface Read {
  readonly what: string
  readonly path: string
}

export async function reads(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const count = quick ? 20 : 1000
  const project = await createProject(rig.client)
  await createServices(rig.client, project, ['read-1'])
  await untilReady(rig.client, project, 1)
  // A draft is as long as any other item of the list, and needs no rollout.
  await createDrafts(
    rig.client,
    project,
    Array.from({ length: count - 1 }, (_, place) => `read-${place + 2}`),
  )
  const headers = { authorization: `Bearer ${rig.token}` }
  const wanted: Read[] = [
    { what: `GET /api/v1/apps?project=…, ${count} services`, path: `/api/v1/apps?project=${project}` },
    { what: 'GET /api/v1/apps/{name}/status', path: '/api/v1/apps/read-1/status' },
  ]
  const bodies = await Promise.all(
    wanted.map(async ({ path }) => new Uint8Array(await (await fetch(rig.url + path, { headers })).arrayBuffer())),
  )
  const koa = await startBareKoa(rig.folder, bodies)
  try {
    const lines: Line[] = []
    for (const [place, read] of wanted.entries())
      lines.push(await compare(rig, koa, read, place, bodies[place]?.length ?? 0, quick))
    return lines
  } finally {
    await koa.stop()
  }
}

async function compare(
  rig: Rig,
  koa: BareKoa,
  { what, path }: Read,
  place: number,
  bytes: number,
  quick: boolean,
): Promise<Line> {
  const own: number[] = []
  const peer: number[] = []
  // Once for nothing, while the code of both gets compiled.
  for (const url of [rig.url + path, koa.url(place)])
    await requestsPerSecond(url, true, { authorization: `Bearer ${rig.token}` })
  for (let round = 0; round < (quick ? 1 : 5); round += 1) {
    own.push(await requestsPerSecond(rig.url + path, quick, { authorization: `Bearer ${rig.token}` }))
    peer.push(await requestsPerSecond(koa.url(place), quick, { authorization: `Bearer ${rig.token}` }))
  }
  return {
    bench: 3,
    work: `${what} (${Math.round(bytes / 102.4) / 10} KiB): ${Math.round(median(own))} requests/s`,
    peer: `bare Koa, same bytes: ${Math.round(median(peer))} requests/s`,
    ratio: median(own) / median(peer),
    goal: { atLeast: 0.5 },
    samples: { svcPerSecond: own, koaPerSecond: peer },
  }
}

/** Throws when anything but 2xx was answered: refusals are quick and would look good. */
async function requestsPerSecond(url: string, quick: boolean, headers: Record<string, string>): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({ url, connections, duration: quick ? 1 : 4, headers })
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} refusals, ${errors} errors`)
  return requests.average
}
