/** What services there are, and how each is. */
import { z } from 'zod'
import { metricsWindows } from '../../contract/limits.ts'
import { operations, type View } from '../../contract/operations.ts'
import { appName, itemsOf, ownerFilter } from '../tool/arguments.ts'
import { defineTool } from '../tool/tool.ts'

const ofApp = z.strictObject({ app: appName() })

export const readTools = [
  defineTool({
    name: 'list_apps',
    title: 'List services',
    description:
      'Lists services with state (ready, pending, failed, draft, deleting), message, address, image, and how many ' +
      'changes are not deployed. Without arguments all that the token sees; use it to find the name that other tools ' +
      'take as `app`. Not for the progress of one deploy: use app_status.',
    effect: 'read',
    operations: ['apps.list'],
    input: z.strictObject(ownerFilter),
    output: operations['apps.list'].view,
    run: async (owner, call) =>
      await itemsOf(owner, call, await call.client.call('apps.list', owner, { signal: call.signal })),
  }),
  defineTool({
    name: 'get_app',
    title: 'Show the settings of a service',
    description:
      'Shows all of one service: summary (`resource`), settings (`spec`: source, port, resources, probes, host, ' +
      'scaling) and raw status. Secret values are blank. Long: not for whether it works (app_status), and not for its ' +
      'variables (list_variables).',
    effect: 'read',
    operations: ['apps.get'],
    input: ofApp,
    output: operations['apps.get'].view,
    run: async ({ app }, { client, signal }) => await client.call('apps.get', { app }, { signal }),
  }),
  defineTool({
    name: 'app_status',
    title: 'Show how a service is',
    description:
      'Shows how one service is now: state, message (what it waits for or why it failed), address, copies wanted and ' +
      'ready, undeployed changes, and the last deploy attempt with its errors. Read this first when something is ' +
      'wrong. Not for waiting in a loop: deploy_app and rollback_app wait with wait=true.',
    effect: 'read',
    operations: ['apps.status'],
    input: ofApp,
    output: operations['apps.status'].view,
    run: async ({ app }, { client, signal }) => await client.call('apps.status', { app }, { signal }),
  }),
  defineTool({
    name: 'app_deployments',
    title: 'List the deployments of a service',
    description:
      'Lists the last deployments of a service, newest first, with image, reason and times. The `id` is what ' +
      'rollback_app and deployment_logs take. Not for the state of now: use app_status.',
    effect: 'read',
    operations: ['apps.deployments'],
    input: ofApp,
    output: operations['apps.deployments'].view,
    run: async ({ app }, { client, signal }) => await client.call('apps.deployments', { app }, { signal }),
  }),
  defineTool({
    name: 'app_metrics',
    title: 'Show what a service uses',
    description:
      'Shows what a service used over a window: cpu (cores), memory (bytes), network and networkIn (bytes per second), ' +
      'requests (per second). The text sums each series up, the structured content has every point. `available` is ' +
      'false with a message where the platform keeps no metrics. Not for why a service fails: use app_status.',
    effect: 'read',
    operations: ['apps.metrics'],
    input: z.strictObject({
      app: appName(),
      window: z.enum(metricsWindows).default('1h').describe('How far back.'),
    }),
    output: operations['apps.metrics'].view,
    run: async ({ app, window }, { client, signal }) => await client.call('apps.metrics', { app, window }, { signal }),
    inWords: metricsText,
  }),
]

function metricsText({ window, available, message, series }: View<'apps.metrics'>): string {
  const rows = Object.entries(series).map(([name, points]) => {
    const values = points.map(({ v }) => v)
    return values.length === 0
      ? `${name}: no points`
      : `${name}: now ${values.at(-1)}, lowest ${Math.min(...values)}, highest ${Math.max(...values)}`
  })
  const state = available ? `window ${window}` : `not available: ${message ?? 'no reason is given'}`
  return [state, ...rows].join('\n')
}
