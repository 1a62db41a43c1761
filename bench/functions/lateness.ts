/** Bench 23: how late the runs of many schedules that are due in the same second reach their functions. */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { forEach } from '../rig/services.ts'
import { describeMs, ms, percentile } from '../rig/statistics.ts'
import { createSchedules } from './schedules.ts'

const minuteMs = 60_000
const goalMs = 10_000
/** A run that has not arrived by then is not counted on. */
const lateMs = 50_000
const restMs = 15_000

export async function lateness(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const count = quick ? 16 : 500
  const minutes = quick ? 1 : 3
  const { arrivals, stop } = await receive(rig.functionPort)
  const names = await createSchedules(rig.client, 'late', count, '* * * * *')
  try {
    // The schedules of a deploy are made after its status says ready.
    const first = Math.ceil((Date.now() + restMs) / minuteMs) * minuteMs
    await sleep(first - Date.now() + (minutes - 1) * minuteMs + lateMs)
    const last = first + (minutes - 1) * minuteMs
    const late = arrivals
      .filter(({ planned }) => planned >= first && planned <= last)
      .map(({ at, planned }) => at - planned)
    if (late.length !== count * minutes) {
      const byMinute = Array.from({ length: minutes }, (_, minute) => first + minute * minuteMs)
        .map((at) => arrivals.filter(({ planned }) => planned === at).length)
        .join(', ')
      throw new Error(`of ${count} runs a minute these arrived: ${byMinute}`)
    }
    return [
      {
        bench: 23,
        work: `runs of ${count} schedules of the same second, from their time to the function: ${describeMs(late)}`,
        peer: `${ms(goalMs)}, of the 95th percentile`,
        ratio: percentile(late, 0.95) / goalMs,
        goal: { atMost: 1 },
        samples: { lateMs: late },
      },
    ]
  } finally {
    await forEach(names, (app) => rig.client.call('apps.delete', { app, confirmName: app }))
    await stop()
  }
}

interface Arrival {
  at: number
  /** Milliseconds since 1970, as `at`. */
  planned: number
}

/** Answers in the place of the functions' copies. */
async function receive(port: number): Promise<{ arrivals: readonly Arrival[]; stop(): Promise<void> }> {
  const arrivals: Arrival[] = []
  const server = createServer((asked, answer) => {
    arrivals.push({ at: Date.now(), planned: Date.parse(String(asked.headers['ce-time'])) })
    asked.resume()
    answer.writeHead(204).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    arrivals,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
