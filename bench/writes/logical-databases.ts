/** Bench 11 and 13: logical databases on the shared server, many at once and many at rest; their pods are played. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import { measureIdle } from '../rest/idle.ts'
import type { Line } from '../rig/line.ts'
import type { BenchOptions } from '../options.ts'
import type { Rig } from '../rig/rig.ts'
import { createProject } from '../rig/services.ts'

const count = { full: 50, quick: 5 }
const restingCount = { full: 1000, quick: 20 }
/** So many requests at a time. */
const batch = 50
const goalPerSecond = 1
const pollMs = 250
const withinMs = 300_000

export async function logicalDatabases({ client }: Rig, { quick }: BenchOptions): Promise<Line[]> {
  const wanted = quick ? count.quick : count.full
  const [project, server] = [await createProject(client), await sharedServer(client)]
  const began = performance.now()
  await grow(client, { project, server, from: 0, to: wanted })
  const seconds = (performance.now() - began) / 1000
  const perSecond = wanted / seconds
  return [
    {
      bench: 11,
      work: `${wanted} logical databases on one shared server, all with a login and a connection secret after ${seconds.toFixed(1)} s: ${perSecond.toFixed(1)}/s`,
      peer: `${goalPerSecond}/s`,
      ratio: perSecond / goalPerSecond,
      goal: { atLeast: 1 },
    },
  ]
}

/** Bench 13: what svc's own processes do while many of them are ready and nothing happens. */
export async function restingLogicalDatabases(rig: Rig, { quick }: BenchOptions): Promise<Line[]> {
  const wanted = quick ? restingCount.quick : restingCount.full
  const [project, server] = [await createProject(rig.client), await sharedServer(rig.client)]
  for (let from = 0; from < wanted; from += batch)
    await grow(rig.client, { project, server, from, to: Math.min(wanted, from + batch) })
  return await measureIdle(rig, { bench: 13, what: `${wanted} ready logical databases`, quick })
}

/** The one of the cluster; made by whichever bench comes first. */
async function sharedServer(client: Client): Promise<string> {
  const { items } = await client.call('databases.list', {})
  const server =
    items.find(({ project }) => project === '')?.name ??
    (await client.call('databases.create', { engine: 'postgres', deploy: true })).name
  await until(
    `server ${server}`,
    async () => (await client.call('databases.get', { db: server })).resource.state === 'ready',
  )
  return server
}

/** Creates all of them at once, and waits until they are ready. */
async function grow(
  client: Client,
  { project, server, from, to }: { project: string; server: string; from: number; to: number },
): Promise<void> {
  const fields = { project, environment: 'production', server }
  const numbers = Array.from({ length: to - from }, (_, index) => from + index)
  await Promise.all(
    numbers.map((number) =>
      client.call('logical-databases.create', { ...fields, name: `${project}-${number}`, database: `shop_${number}` }),
    ),
  )
  await until(`${to} logical databases`, async () => {
    const { items } = await client.call('logical-databases.list', { project })
    return items.length === to && items.every(({ state }) => state === 'ready')
  })
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + withinMs; !(await holds()); await sleep(pollMs)) {
    if (Date.now() > deadline) throw new Error(`${what} did not get ready`)
  }
}
