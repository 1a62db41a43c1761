/** Many functions with schedules, for the benches of their runs. */
import type { Client } from '../../client/client.ts'
import { createProject, forEach, untilReady } from '../rig/services.ts'

/** The most that one function has. */
const perFunction = 8

/** Deploys functions with so many schedules in all; resolves with the names of the functions when all are ready. */
export async function createSchedules(client: Client, prefix: string, count: number, cron: string): Promise<string[]> {
  const project = await createProject(client)
  const names = Array.from({ length: Math.ceil(count / perFunction) }, (_, place) => `${prefix}-${place + 1}`)
  await forEach(names, (name) => {
    const left = count - names.indexOf(name) * perFunction
    const functionTriggers = Array.from({ length: Math.min(perFunction, left) }, (_, place) => ({
      name: `schedule-${place + 1}`,
      schedule: cron,
    }))
    return client.call('apps.create', {
      project,
      environment: 'production',
      name,
      source: 'function',
      runtime: 'node',
      code: 'export default () => new Response(null, { status: 204 })',
      functionTriggers,
      cpu: '5m',
      memory: '16Mi',
      deploy: true,
    })
  })
  await untilReady(client, project, names.length)
  return names
}
