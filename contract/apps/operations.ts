/** Every operation on services, with its paths on both surfaces (docs/reference/services.md). */
import { z } from 'zod'
import {
  anyText,
  confirmName,
  connectionRef,
  flag,
  hinted,
  list,
  matching,
  resourceName,
  text,
  variableName,
} from '../fields/fields.ts'
import { displayNameMax, servicePort } from '../limits.ts'
import { logQuery, logsView } from '../fields/logs.ts'
import { metricsQuery, metricsView } from '../fields/metrics.ts'
import { okView, operation, serverEvents, terminalView, type Access } from '../operation.ts'
import { connectionQuery } from '../views/connection.ts'
import { pendingDiffView } from '../views/pending.ts'
import { detailView, summariesView } from '../views/resource.ts'
import { ownerQuery } from '../fields/workload.ts'
import * as field from './fields.ts'
import * as views from './views.ts'

const tag = 'Services'
const app = resourceName('app')
const ofApp = z.object({ app })

/** `POST /apps/{name}/<verb>` on both surfaces, open to project tokens. */
const verb = <Params extends z.ZodObject, View extends z.ZodType>(
  path: string,
  summary: string,
  params: Params,
  view: View,
) =>
  operation({
    summary,
    tag,
    access: 'admin',
    v1: { method: 'POST', path: `/apps/{app}/${path}`, projectToken: true },
    dashboard: { method: 'POST', path: `/api/apps/{app}/${path}`, projectToken: true },
    params,
    view,
  })

/** `POST /api/apps/{app}/<verb>` without a path of its own below `/api/v1`. */
const dashboardVerb = <Params extends z.ZodObject, View extends z.ZodType>(
  path: string,
  summary: string,
  params: Params,
  view: View,
  projectToken = false,
) =>
  operation({
    summary,
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: `/api/apps/{app}/${path}`, projectToken },
    params,
    view,
  })

/** `GET /apps/{name}/<path>`; the dashboard serves the same read unless it says otherwise. */
const read = <Params extends z.ZodObject, View extends z.ZodType>(
  path: string,
  summary: string,
  access: Access,
  params: Params,
  view: View,
) =>
  operation({
    summary,
    tag,
    access,
    v1: { method: 'GET', path: `/apps/{app}/${path}`, projectToken: true },
    dashboard: { method: 'GET', path: `/api/apps/{app}/${path}`, projectToken: true },
    params,
    view,
  })

const create = z
  .object({
    project: text('project', { max: 253 }),
    environment: field.owner.environment.unwrap(),
    source: field.sourceWord().default('image'),
    name: field.appName().optional(),
    image: field.image().optional(),
    ...field.gitSource,
    connectionRef: connectionRef().optional(),
    runtime: field.runtime().optional(),
    code: field.code().optional(),
    mode: field.mode().optional(),
    functionTriggers: field.functionTriggers().optional(),
    port: field.port().default(servicePort.default),
    host: field.host().optional(),
    metrics: flag('metrics').optional(),
    ...field.size,
    ...field.scaling,
    runAsRoot: field.runAsRoot().optional(),
    draft: flag('draft').optional(),
    deploy: flag('deploy').optional(),
  })
  .refine(({ draft, deploy }) => !(draft === true && deploy === true), {
    error: 'draft and deploy cannot be used together',
  })

const update = z.object({
  app,
  image: field.image().optional(),
  ...field.gitSource,
  watchPatterns: list(text('watchPatterns', { max: 250 }), 'watchPatterns must be at most 50 patterns', 50).optional(),
  functionRuntime: field.runtime().optional(),
  functionCode: field.code().optional(),
  functionMode: field.mode().optional(),
  functionTriggers: field.functionTriggers().optional(),
  port: field.port().optional(),
  ...field.size,
  ...field.scaling,
  host: field.host().optional(),
  tls: flag('tls').optional(),
  dnsVerification: flag('dnsVerification').optional(),
  metrics: flag('metrics').optional(),
  command: list(anyText('command', 1000), 'command must be at most 50 words', 50).optional(),
  args: list(anyText('args', 1000), 'args must be at most 50 words', 50).optional(),
  workingDir: matching(/^(\/[^\0\n]*)?$/, 'workingDir must be an absolute path', 500).optional(),
  buildCache: flag('buildCache').optional(),
  rollbackOnFailure: flag('rollbackOnFailure').optional(),
  ...field.readinessProbe,
  ...field.livenessProbe,
  runOnTags: field.runOnTags().optional(),
  runAsRoot: field.runAsRoot().optional(),
  ...field.owner,
  deploy: flag('deploy').optional(),
})

export const appOperations = {
  'apps.list': operation({
    summary: 'List services',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/apps', projectToken: true },
    params: ownerQuery,
    view: summariesView,
  }),
  'apps.create': operation({
    summary: 'Create a service as a draft, or deploy it at once',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/apps' },
    dashboard: { method: 'POST', path: '/api/apps/create' },
    params: create,
    view: views.createdView,
  }),
  'apps.get': operation({
    summary: 'Read a service',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/apps/{app}', projectToken: true },
    params: ofApp,
    view: detailView,
  }),
  'apps.update': operation({
    summary: "Change a service's settings",
    tag,
    access: 'admin',
    v1: { method: 'PATCH', path: '/apps/{app}', projectToken: true },
    dashboard: { method: 'POST', path: '/api/apps/{app}/update', projectToken: true },
    params: update,
    view: views.pendingView,
  }),
  'apps.delete': operation({
    summary: 'Delete a service',
    tag,
    access: 'admin',
    v1: { method: 'DELETE', path: '/apps/{app}' },
    dashboard: { method: 'POST', path: '/api/apps/{app}/delete' },
    params: z.object({ app, confirmName: confirmName() }),
    view: okView,
  }),
  'apps.status': operation({
    summary: 'Read the status of a service',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/apps/{app}/status', projectToken: true },
    params: ofApp,
    view: views.appStatusView,
  }),
  'apps.deployments': operation({
    summary: 'List the deployments of a service, newest first',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/apps/{app}/deployments', projectToken: true },
    params: ofApp,
    view: views.deploymentsView,
  }),
  'apps.deployment-logs': read(
    'deployments/{id}/logs',
    'Read the log of one deployment',
    'observer',
    z.object({ app, id: resourceName('id') }),
    views.deploymentLogsView,
  ),
  'apps.pending': operation({
    summary: 'Read what a deploy would change, field by field',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/apps/{app}/pending' },
    params: ofApp,
    view: pendingDiffView,
  }),
  'apps.schedules': operation({
    summary: 'List the schedules of a function, with their last and next runs',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/apps/{app}/schedules', projectToken: true },
    params: ofApp,
    view: views.schedulesView,
  }),
  'apps.schedule-run': dashboardVerb(
    'schedules/{schedule}/run',
    'Run a schedule of a function now',
    z.object({ app, schedule: resourceName('schedule') }),
    okView,
    true,
  ),
  'apps.invoke': dashboardVerb(
    'invoke',
    'Call a function where it runs, and read its answer',
    z.object({ app, ...field.invocation }),
    views.invokedView,
    true,
  ),
  'apps.git-webhook': operation({
    summary: 'Read where the git server of a service sends its pushes, and with `reveal` the secret',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/apps/{app}/git-webhook' },
    params: z.object({ app, ...connectionQuery }),
    view: views.gitWebhookView,
  }),
  'apps.git-webhook-rotate': dashboardVerb(
    'git-webhook/rotate',
    'Make or replace the secret of the git webhook',
    ofApp,
    views.gitWebhookSecretView,
  ),
  'apps.discard': dashboardVerb('discard', 'Bring the saved settings back to what runs', ofApp, views.pendingView),
  'apps.deploy': verb('deploy', 'Deploy a service', ofApp, views.pendingView),
  'apps.scale': verb(
    'scale',
    'Set the number of copies at once',
    z.object({ app, replicas: field.replicas() }),
    okView,
  ),
  'apps.rollback': verb(
    'rollback',
    'Go back to an earlier deployment',
    z.object({ app, revision: field.revision() }),
    okView,
  ),
  'apps.build': verb('build', 'Build the branch head again', ofApp, okView),
  'apps.build-cancel': verb('build/cancel', 'Cancel the current build', ofApp, okView),
  'apps.retry-provision': verb('retry-provision', 'Retry a failed deploy', ofApp, okView),
  'apps.config-set': verb(
    'config/set',
    'Set a plain variable',
    z.object({ app, key: variableName(), value: anyText('value').default('') }),
    views.configView,
  ),
  'apps.config-delete': verb(
    'config/delete',
    'Delete a plain variable',
    z.object({ app, key: variableName() }),
    views.configView,
  ),
  'apps.secrets-set': verb(
    'secrets/set',
    'Set a secret variable',
    z.object({ app, key: variableName(), value: hinted(anyText('value').default(''), { secret: true }) }),
    views.secretsView,
  ),
  'apps.secrets-delete': verb(
    'secrets/delete',
    'Delete a secret variable',
    z.object({ app, key: variableName() }),
    views.secretsView,
  ),
  'apps.variables': read('variables', 'List the variables of a service', 'observer', ofApp, views.variablesView),
  'apps.logs': read('logs', 'Read recent log lines', 'observer', z.object({ app, ...logQuery }), logsView),
  'apps.logs-stream': operation({
    summary: 'Follow the log of a service',
    tag,
    access: 'observer',
    v1: { method: 'GET', path: '/apps/{app}/logs/stream', projectToken: true },
    dashboard: { method: 'GET', path: '/api/apps/{app}/logs/stream', projectToken: true },
    stream: true,
    params: z.object({ app, ...logQuery }),
    view: serverEvents,
  }),
  'apps.runtime': read('runtime', 'List the pods of a service', 'observer', ofApp, views.runtimeView),
  'apps.console': operation({
    summary: 'Open a terminal in a copy of a service',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/apps/{app}/console/ws' },
    terminal: true,
    params: z.object({ app, ...field.terminal() }),
    view: terminalView,
  }),
  'apps.metrics': read(
    'metrics',
    'Read the metrics of a service',
    'viewer',
    z.object({ app, ...metricsQuery }),
    metricsView,
  ),
  'apps.display-name': dashboardVerb(
    'display-name',
    'Set the display label',
    z.object({ app, displayName: anyText('displayName', displayNameMax) }),
    okView,
  ),
  'apps.attach': dashboardVerb(
    'attach',
    'Attach a database or bucket',
    z.object({ app, name: resourceName('name'), kind: field.attachable() }),
    views.pendingView,
  ),
  'apps.networking-delete': dashboardVerb(
    'networking/delete',
    'Clear host and TLS',
    z.object({ app, confirmName: confirmName() }),
    okView,
  ),
  'apps.shared-variables-save': dashboardVerb(
    'shared-variables/save',
    'Choose the shared variables of a service',
    z.object({ app, sharedVariable: list(variableName(), 'sharedVariable must be a list of names').default([]) }),
    views.pendingView,
  ),
  'apps.config-raw': dashboardVerb(
    'config/raw',
    'Replace all plain variables',
    z.object({ app, config: anyText('config') }),
    views.configView,
    true,
  ),
  'apps.env-delete': dashboardVerb(
    'env/delete',
    'Delete a reference variable',
    z.object({ app, name: hinted(text('name', { max: 253 }), { aliases: ['key'] }) }),
    views.pendingView,
    true,
  ),
} as const
