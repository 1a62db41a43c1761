/** Bench 24: what svc's own processes do while many schedules wait for their time. */
import { measureIdle } from '../rest/idle.ts'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { forEach } from '../rig/services.ts'
import { createSchedules } from './schedules.ts'

export async function idleSchedules(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const count = quick ? 16 : 1_000
  const names = await createSchedules(rig.client, 'waiting', count, '@yearly')
  try {
    return await measureIdle(rig, { bench: 24, what: `${count} schedules of ${names.length} functions`, quick })
  } finally {
    await forEach(names, (app) => rig.client.call('apps.delete', { app, confirmName: app }))
  }
}
