/** Every operation on services, with its paths on both surfaces (docs/reference/services.md). */
import { z } from 'zod'
import { anyText, confirmName, connectionRef, flag, list, matching, resourceName, text } from '../fields/fields.ts'
import { commandMax, displayNameMax, servicePort, watchPatternsMax, workingDirMax, objectNameMax } from '../limits.ts'
import { logQuery, logsView } from '../fields/logs.ts'
import { metricsQuery, metricsView } from '../fields/metrics.ts'
import { okView, operation, serverEvents, terminalView } from '../operation.ts'
import { connectionQuery } from '../views/connection.ts'
import { detailView, summariesView } from '../views/resource.ts'
import { ownerQuery } from '../fields/workload.ts'
import { appDashboardReads } from './dashboard-reads.ts'
import * as field from './fields.ts'
import { appVariableOperations } from './variable-operations.ts'
import { app, dashboardVerb, ofApp, read, tag, verb } from './verbs.ts'
import * as views from './views.ts'

const create = z
  .object({
    project: text('project', { max: objectNameMax }),
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
    ...field.volume,
    runAsRoot: field.runAsRoot().optional(),
    draft: flag('draft').optional(),
    deploy: flag('deploy').optional(),
  })
  .refine(({ draft, deploy }) => !(draft === true && deploy === true), {
    error: 'draft and deploy cannot be used together',
  })

const words = (name: string) =>
  list(anyText(name, commandMax.characters), `${name} must be at most ${commandMax.words} words`, commandMax.words)

const update = z.object({
  app,
  image: field.image().optional(),
  ...field.gitSource,
  watchPatterns: list(
    text('watchPatterns', { max: watchPatternsMax.characters }),
    `watchPatterns must be at most ${watchPatternsMax.patterns} patterns`,
    watchPatternsMax.patterns,
  ).optional(),
  functionRuntime: field.runtime().optional(),
  functionCode: field.code().optional(),
  functionMode: field.mode().optional(),
  functionTriggers: field.functionTriggers().optional(),
  port: field.port().optional(),
  ...field.size,
  ...field.scaling,
  ...field.volume,
  host: field.host().optional(),
  tls: flag('tls').optional(),
  dnsVerification: flag('dnsVerification').optional(),
  metrics: flag('metrics').optional(),
  command: words('command').optional(),
  args: words('args').optional(),
  workingDir: matching(/^(\/[^\0\n]*)?$/, 'workingDir must be an absolute path', workingDirMax).optional(),
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
  ...appDashboardReads,
  'apps.schedule-run': dashboardVerb(
    'schedules/{schedule}/run',
    'Run a schedule of a function now',
    z.object({ app, schedule: resourceName('schedule') }),
    views.scheduleBegunView,
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
  'apps.deploy-key': operation({
    summary: 'Read the public half of the key with which the repository of a service is read over ssh',
    tag,
    access: 'observer',
    dashboard: { method: 'GET', path: '/api/apps/{app}/deploy-key' },
    params: ofApp,
    view: views.deployKeyView,
  }),
  'apps.deploy-key-rotate': dashboardVerb(
    'deploy-key/rotate',
    'Make or replace the deploy key of a service',
    ofApp,
    views.deployKeyMadeView,
  ),
  'apps.deploy-key-delete': dashboardVerb('deploy-key/delete', 'Remove the deploy key of a service', ofApp, okView),
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
  ...appVariableOperations,
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
} as const
