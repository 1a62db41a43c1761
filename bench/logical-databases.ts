/** Bench 11: many logical databases on the shared server at once, from the first request until all are ready; their pods are played. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Line } from './line.ts'
import type { BenchOptions } from './options.ts'
import type { Rig } from './rig/rig.ts'
import { createProject } from './rig/services.ts'

const count = { full: 50, quick: 5 }
const goalPerSecond = 2
const pollMs = 250
const withinMs = 300_000

export async function logicalDatabases({ client }: Rig, { quick }: BenchOptions): Promise<Line[]> {
  const wanted = quick ? count.quick : count.full
  const project = await createProject(client)
  const { name: server } = await client.call('databases.create', { engine: 'postgres', deploy: true })
  await until(`server ${server}`, async () => (await client.call('databases.get', { db: server })).resource.state === 'ready')
  const began = performance.now()
  const fields = { project, environment: 'production', server }
  await Promise.all(Array.from({ length: wanted }, (_, index) => client.call('logical-databases.create', { ...fields, database: `shop_${index}` })))
  await until(`${wanted} logical databases`, async () => {
    const { items } = await client.call('logical-databases.list', { project })
    return items.length === wanted && items.every(({ state }) => state === 'ready')
  })
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

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + withinMs; !(await holds()); await sleep(pollMs)) {
    if (Date.now() > deadline) throw new Error(`${what} did not get ready`)
  }
}
