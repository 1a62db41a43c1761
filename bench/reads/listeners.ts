/**
 * Bench 9: 1,000 listeners of the change stream on one api: how soon they receive a change, and what they cost, also
 * when half of them stop reading.
 */
import { Agent, get, type ClientRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventCoalesceMs } from '../../contract/limits.ts'
import type { Line } from '../rig/line.ts'
import { residentMiB } from '../rig/process-cost.ts'
import type { Rig } from '../rig/rig.ts'
import { createDrafts, createProject } from '../rig/services.ts'
import { describeMs, percentile } from '../rig/statistics.ts'

const app = 'heard-1'
/** A tenth of a megabyte each, connection and all. */
const goalMiB = 100
const receivedWithinMs = 10_000

export async function listeners(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const count = quick ? 50 : 1000
  const changes = quick ? 5 : 30
  await createDrafts(rig.client, await createProject(rig.client), [app])
  const weights = [residentMiB(rig.apiPid())]
  const crowd = await Promise.all(Array.from({ length: count }, () => listen(rig)))
  try {
    weights.push(residentMiB(rig.apiPid()))
    const delays: number[] = []
    for (let change = 0; change < changes; change += 1) delays.push(...(await notifyAll(rig, crowd, change)))
    weights.push(residentMiB(rig.apiPid()))
    for (const listener of crowd.slice(0, count / 2)) listener.stopReading()
    const lively = crowd.slice(count / 2)
    for (let change = 0; change < changes * 4; change += 1) await notifyAll(rig, lively, changes + change)
    weights.push(residentMiB(rig.apiPid()))
    const [before = 0, connected = 0, after = 0, stalled = 0] = weights
    const sizes = [before, connected, after, stalled].map((weight) => Math.round(weight)).join(' -> ')
    return [
      {
        bench: 9,
        work: `${count} listeners hear of a change, from the request that made it: ${describeMs(delays)}`,
        peer: `${eventCoalesceMs} ms, the time bursts are gathered`,
        ratio: percentile(delays, 0.95) / eventCoalesceMs,
        goal: { atMost: 1 },
        samples: { delayMs: delays },
      },
      {
        bench: 9,
        work: `memory of the api without them, with ${count}, after ${changes} changes, after ${changes * 4} more that half of them do not read: ${sizes} MiB`,
        peer: `${goalMiB} MiB more`,
        ratio: (Math.max(connected, after, stalled) - before) / goalMiB,
        goal: { atMost: 1 },
        samples: { apiMiB: weights },
      },
    ]
  } finally {
    for (const listener of crowd) listener.close()
  }
}

interface Listener {
  /** Resolves with the moment it receives the next change. */
  next(): Promise<number>
  stopReading(): void
  close(): void
}

/** From the beginning of the write to each listener's moment, in milliseconds. */
async function notifyAll(rig: Rig, crowd: readonly Listener[], change: number): Promise<number[]> {
  const received = Promise.all(crowd.map((listener) => listener.next()))
  const began = performance.now()
  await rig.client.call('apps.config-set', { app, key: 'CHANGE', value: String(change) })
  const limit = sleep(receivedWithinMs, undefined, { ref: false }).then(() => {
    throw new Error(`a listener received no change within ${receivedWithinMs} ms`)
  })
  const moments = await Promise.race([received, limit])
  await sleep(eventCoalesceMs + 50) // the next change is sent at once again
  return moments.map((moment) => moment - began)
}

/** Connections of their own, as a thousand dashboards have them. */
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

/** Resolves when the stream has begun. */
function listen(rig: Rig): Promise<Listener> {
  let onMessage: (moment: number) => void = () => undefined
  return new Promise((resolve, reject) => {
    const request: ClientRequest = get(
      `${rig.url}/api/v1/events`,
      { agent, headers: { authorization: `Bearer ${rig.token}` } },
      begin,
    )
    request.once('error', reject)
    function begin(answer: IncomingMessage): void {
      answer.on('error', () => undefined) // it is closed at the end
      answer.on('data', (data: Buffer) => {
        const text = String(data)
        if (text.includes('event: change')) onMessage(performance.now())
        if (text.includes('event: connected'))
          resolve({ next, stopReading: () => answer.pause(), close: () => request.destroy() })
      })
    }
  })
  function next(): Promise<number> {
    return new Promise((resolve) => {
      onMessage = resolve
    })
  }
}
