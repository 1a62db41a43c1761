/**
 * Bench 7: what a dashboard starts from, with 1,000 services, against a bare Koa that sends the same bytes, one read at
 * a time.
 */
import type { Line } from '../rig/line.ts'
import { startBareKoa } from '../peers/bare-koa.ts'
import type { Rig } from '../rig/rig.ts'
import { createDrafts, createProject } from '../rig/services.ts'
import { median } from '../rig/statistics.ts'

const path = '/api/bootstrap'

export async function bootstrap(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const count = quick ? 20 : 1000
  const project = await createProject(rig.client)
  await createDrafts(
    rig.client,
    project,
    Array.from({ length: count }, (_, place) => `start-${place + 1}`),
  )
  const headers = { authorization: `Bearer ${rig.token}` }
  const body = new Uint8Array(await (await fetch(rig.url + path, { headers })).arrayBuffer())
  const koa = await startBareKoa(rig.folder, [body])
  try {
    const rounds = quick ? 3 : 40
    const own: number[] = []
    const peer: number[] = []
    const changed: number[] = []
    await Promise.all([timed(rig.url + path, headers), timed(koa.url(0), headers)]) // once for nothing
    for (let round = 0; round < rounds; round += 1) {
      own.push(await timed(rig.url + path, headers))
      peer.push(await timed(koa.url(0), headers))
      // A caller reads its own writes, so the next answer is not the last one.
      await rig.client.call('apps.config-set', { app: 'start-1', key: 'ROUND', value: String(round) })
      changed.push(await timed(rig.url + path, headers))
    }
    return [
      {
        bench: 7,
        work: `GET ${path}, ${count} services (${Math.round(body.length / 1024)} KiB): ${described(own)}; the first after a change ${described(changed)}`,
        peer: `bare Koa, same bytes: ${described(peer)}`,
        ratio: median(own) / median(peer),
        goal: { atMost: 2 },
        samples: { svcMs: own, svcAfterChangeMs: changed, koaMs: peer, bytes: [body.length] },
      },
    ]
  } finally {
    await koa.stop()
  }
}

const described = (samples: readonly number[]): string => `median ${median(samples).toFixed(1)} ms`

/** Milliseconds until the last byte, uncompressed. Throws for a refusal. */
async function timed(url: string, headers: Record<string, string>): Promise<number> {
  const began = performance.now()
  const answer = await fetch(url, { headers: { ...headers, 'accept-encoding': 'identity' } })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  await answer.arrayBuffer()
  return performance.now() - began
}
