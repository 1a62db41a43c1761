/** Tools about functions: their schedules, and calling one. */
import { z } from 'zod'
import type { Client } from '../../client/client.ts'
import { functionAnswerBytes, functionCallSeconds } from '../../contract/limits.ts'
import type { ParamsInput } from '../../contract/operations.ts'
import { appName, resourceName } from '../tool/arguments.ts'
import { defineTool, ToolError, type ToolCall } from '../tool/tool.ts'
import { callFunction } from './call.ts'

const schedules = z.object({
  app: z.string(),
  schedules: z.array(z.object({ name: z.string(), schedule: z.string(), path: z.string() })),
})

type Trigger = NonNullable<ParamsInput<'apps.update'>['functionTriggers']>[number]

const triggerTools = [
  defineTool({
    name: 'set_function_trigger',
    title: 'Set a schedule of a function',
    description:
      'Adds a schedule to a function, or replaces the one of that name. Each run is a POST to `path` with `payload`. ' +
      'It starts with the next deploy_app. Returns all schedules of the function. Not for services that are no ' +
      'functions, and not for a single call: use invoke_function.',
    effect: 'idempotent-change',
    operations: ['apps.get', 'apps.update'],
    input: z.strictObject({
      app: appName(),
      name: resourceName('Name of the schedule: lowercase letters, digits, dashes.'),
      schedule: z.string().describe('Five-field UTC cron such as 0 3 * * *, or a word such as @hourly.'),
      path: z.string().optional().describe('Path that is called; / if left out.'),
      payload: z.string().optional().describe('Valid JSON that is sent with each run.'),
    }),
    output: schedules,
    run: async ({ app, ...trigger }, call) => {
      const others = (await triggersOf(call, app)).filter(({ name }) => name !== trigger.name)
      return await saveTriggers(call, app, [...others, trigger])
    },
  }),
  defineTool({
    name: 'remove_function_trigger',
    title: 'Remove a schedule of a function',
    description:
      'Removes one schedule of a function, from the next deploy_app on. Returns the schedules that are left. Not for ' +
      'changing one: use set_function_trigger.',
    effect: 'destructive-change',
    operations: ['apps.get', 'apps.update'],
    input: z.strictObject({ app: appName(), name: resourceName('Name of the schedule.') }),
    output: schedules,
    run: async ({ app, name: removed }, call) => {
      const triggers = await triggersOf(call, app)
      const left = triggers.filter(({ name }) => name !== removed)
      if (left.length === triggers.length) throw new ToolError(`${app} has no schedule ${removed}`, true)
      return await saveTriggers(call, app, left)
    },
  }),
]

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
async function triggersOf({ client, signal }: Pick<ToolCall, 'client' | 'signal'>, app: string): Promise<Trigger[]> {
  const view = await client.call('apps.get', { app }, { signal })
  return spec.parse(view.spec).source.function?.triggers ?? []
}

async function saveTriggers({ client, signal }: ToolCall, app: string, functionTriggers: Trigger[]) {
  await client.call('apps.update', { app, functionTriggers }, { signal })
  return {
    app,
    schedules: functionTriggers.map(({ name, schedule, path = '/' }) => ({ name, schedule, path })),
  }
}

const invokeFunction = defineTool({
  name: 'invoke_function',
  title: 'Call a function',
  description:
    'Sends one HTTP request to a deployed function at its public address and returns status and answer, an HTTP error ' +
    `status included. Waits at most ${functionCallSeconds} seconds and reads at most ` +
    `${functionAnswerBytes / 1024 / 1024} MiB. The function may change ` +
    'things: call it only when the user wants that. Not for services that are no functions.',
  effect: 'change',
  operations: ['apps.get', 'apps.status'],
  input: z.strictObject({
    app: appName(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
    path: z
      .string()
      .max(2000)
      .regex(/^\/[\x21-\x7e]*$/, 'path must start with / and be percent-encoded')
      .default('/')
      .describe('Path and query, starting with /.'),
    body: z.string().optional().describe('Body of the request; JSON is sent as application/json.'),
  }),
  output: z.object({
    app: z.string(),
    status: z.number(),
    content_type: z.string(),
    body: z.string(),
    truncated: z.boolean().describe('The answer was longer than what is read.'),
  }),
  run: async ({ app, ...request }, { client, signal }) => {
    const url = await addressOf(client, app, signal)
    const answer = await callFunction(url, request, { signal, nearby: isLoopback(client.baseUrl) })
    return { app, ...answer }
  },
})

/** @throws ToolError for a service that is no function, or one without an address. */
async function addressOf(client: Client, app: string, signal: AbortSignal): Promise<string> {
  const view = await client.call('apps.get', { app }, { signal })
  if (spec.parse(view.spec).source.function === undefined) throw new ToolError(`${app} is not a function`)
  const { url, state, message } = await client.call('apps.status', { app }, { signal })
  if (url === '') throw new ToolError(`${app} has no address: it is ${state}${message === '' ? '' : `, ${message}`}`)
  return url
}

/** A platform on this machine has its services on this machine too. */
const isLoopback = (address: string): boolean =>
  ['localhost', '[::1]'].includes(new URL(address).hostname) || new URL(address).hostname.startsWith('127.')

export const functionTools = [...triggerTools, invokeFunction]
