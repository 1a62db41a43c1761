/** The saved schedules of a function, and where it is called: what tools and commands about functions share. */
import { z } from 'zod'
import type { Client } from '../../client/client.ts'
import type { ParamsInput } from '../../contract/operations.ts'
import { ToolError } from '../tool/tool.ts'

export type Trigger = NonNullable<ParamsInput<'apps.update'>['functionTriggers']>[number]

interface Asking {
  readonly client: Client
  readonly signal: AbortSignal
}

const spec = z.object({
  source: z.object({
    function: z
      .object({
        triggers: z
          .array(
            z.object({
              name: z.string(),
              schedule: z.string(),
              path: z.string().optional(),
              payload: z.string().optional(),
            }),
          )
          .default([]),
      })
      .optional(),
  }),
})

/** None of a service that is no function: the service says so when a schedule is saved. */
async function triggersOf({ client, signal }: Asking, app: string): Promise<Trigger[]> {
  const view = await client.call('apps.get', { app }, { signal })
  return spec.parse(view.spec).source.function?.triggers ?? []
}

/** Adds a schedule, or replaces the one of that name. Takes effect with the next deploy. */
export async function setTrigger(asking: Asking, app: string, trigger: Trigger) {
  const others = (await triggersOf(asking, app)).filter(({ name }) => name !== trigger.name)
  return await saveTriggers(asking, app, [...others, trigger])
}

/** @throws ToolError for a schedule that is not there. */
export async function removeTrigger(asking: Asking, app: string, removed: string) {
  const triggers = await triggersOf(asking, app)
  const left = triggers.filter(({ name }) => name !== removed)
  if (left.length === triggers.length) throw new ToolError(`${app} has no schedule ${removed}`, true)
  return await saveTriggers(asking, app, left)
}

async function saveTriggers({ client, signal }: Asking, app: string, functionTriggers: Trigger[]) {
  await client.call('apps.update', { app, functionTriggers }, { signal })
  return {
    app,
    schedules: functionTriggers.map(({ name, schedule, path = '/' }) => ({ name, schedule, path })),
  }
}

/** '' for a function without a public address. @throws ToolError for a service that is no function, and for a draft. */
export async function functionAddress(client: Client, app: string, signal: AbortSignal): Promise<string> {
  const view = await client.call('apps.get', { app }, { signal })
  if (spec.parse(view.spec).source.function === undefined) throw new ToolError(`${app} is not a function`)
  const { url, state, message } = await client.call('apps.status', { app }, { signal })
  if (url === '' && state === 'draft')
    throw new ToolError(`${app} has no address: it is ${state}${message === '' ? '' : `, ${message}`}`)
  return url
}

/** A platform on this machine has its services on this machine too. */
export const isLoopback = (address: string): boolean =>
  ['localhost', '[::1]'].includes(new URL(address).hostname) || new URL(address).hostname.startsWith('127.')
