/** Tools about functions: their schedules, and calling one. */
import { z } from 'zod'
import { functionMethods } from '../../contract/fields/words.ts'
import { callPath } from '../../contract/fields/patterns.ts'
import { functionAnswerBytes, functionCallPathMax, functionCallSeconds } from '../../contract/limits.ts'
import { refusals } from '../../contract/problem.ts'
import { appName, resourceName } from '../tool/arguments.ts'
import { reporting } from '../tool/report.ts'
import { defineTool } from '../tool/tool.ts'
import { invokeFunction } from './invoke.ts'
import { removeTrigger, setTrigger } from './triggers.ts'

const schedules = z.object({
  app: z.string(),
  schedules: z.array(z.object({ name: z.string(), schedule: z.string(), path: z.string() })),
})

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
    run: async ({ app, ...trigger }, call) => await setTrigger(call, app, trigger),
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
    run: async ({ app, name }, call) => await removeTrigger(call, app, name),
  }),
]

const invokeTool = defineTool({
  name: 'invoke_function',
  title: 'Call a function',
  description:
    'Sends one HTTP request to a deployed function, through svc where it has no public address, and returns status and answer, an HTTP error ' +
    `status included. Waits at most ${functionCallSeconds} seconds and reads at most ` +
    `${functionAnswerBytes / 1024 / 1024} MiB. The function may change ` +
    'things: call it only when the user wants that. Not for services that are no functions.',
  effect: 'change',
  operations: ['apps.get', 'apps.status', 'apps.invoke'],
  input: z.strictObject({
    app: appName(),
    method: z.enum(functionMethods).default('POST'),
    path: z
      .string()
      .max(functionCallPathMax)
      .regex(callPath, refusals.callPath)
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
  run: async ({ app, ...request }, call) => {
    const waits = { totalMs: functionCallSeconds * 1000, message: `waiting for the answer of ${app}` }
    const answer = await reporting(
      call,
      waits,
      async () => await invokeFunction(call.client, app, request, call.signal),
    )
    return { app, ...answer }
  },
})

export const functionTools = [...triggerTools, invokeTool]
