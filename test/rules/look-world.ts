/**
 * A look at a service, run by itself: prints the files that each kind of look enters, as JSON. What a look reads comes
 * from here and not from a cluster, so that the way through the code is the same each time. The record is known to the
 * worker, as it is after the pass that prepared it and after each event of the watch.
 */
import { lookAtService } from '../../activities/apps/look.ts'
import type { LookInput } from '../../activities/apps/messages.ts'
import type { ActivityNeeds } from '../../activities/context/needs.ts'
import { noAttempt } from '../../durable/messages.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { annotations, finalizers, labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { projectSpec } from '../../kinds/projects/kind.ts'
import { takeStays } from './entered.ts'

const at = '2026-01-01T00:00:00Z'
const attempt = { record: 'web-7f3ka', operation: 'deploy', actor: 'ann', requestId: 'r1', title: 'Deploy', at }
const plain = {
  project: 'proj-1a2b3c4d',
  environment: 'production',
  source: { image: { image: 'svc/hello:1' } },
  ingress: { host: 'web.example.org' },
  configData: { GREETING: 'hello' },
  deploy: { enabled: true },
}
const schedule = { name: 'hourly', schedule: '0 * * * *' }
const kinds = {
  '': plain,
  ' of a function': { ...plain, source: { function: { code: 'export default () => 1', triggers: [schedule] } } },
  ' that sleeps when idle': { ...plain, scaleToZero: { enabled: true } },
}

const recordOf = (wanted: object): App => {
  const spec = appSpec.parse(wanted)
  return {
    apiVersion: 'svc.svc.dev/v1alpha1',
    kind: 'SvcApp',
    metadata: {
      name: 'web',
      namespace: systemNamespace,
      uid: 'u1',
      resourceVersion: '5',
      creationTimestamp: at,
      finalizers: [finalizers.app],
      annotations: {
        [annotations.attempt]: JSON.stringify(attempt),
        [annotations.lastDeployed]: JSON.stringify(spec),
      },
    },
    spec,
  }
}
const rollingOut = (record: App): App => ({
  ...record,
  status: {
    acceptedIntent: viewOf(record).intent,
    frozenImage: { attempt: attempt.record, image: `svc/hello:1@sha256:${'0a'.repeat(32)}` },
    targetNamespace: 'proj-1a2b3c4d-production',
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'Progressing',
        message: 'rolling out web-7f3ka',
        lastTransitionTime: at,
      },
    ],
    lastAttempt: { id: attempt.record, phase: 'Running', startedAt: at, summary: 'rolling out', errors: [] },
  },
})

const cacheOf = <T extends { metadata: { name: string } }>(...items: T[]) => {
  return {
    get: (name: string) => items.find(({ metadata }) => metadata.name === name),
    by: () => items,
    put: () => undefined,
  }
}
const storeOf = <T extends { metadata: { name: string } }>(...items: T[]) => {
  const cache = cacheOf(...items)
  return { cache, read: async (name: string) => cache.get(name) }
}
const none = cacheOf()
const parts = cacheOf({ metadata: { name: 'web' } })
const project = {
  metadata: { name: plain.project },
  spec: projectSpec.parse({ displayName: 'Web', environments: [plain.environment] }),
}
const deployed = (name: string) => ({ metadata: { name }, spec: {}, status: { phase: 'Available', startedAt: at } })

/** A cluster with this one service, whose copies are up or not. */
function worldOf(app: App, copies: { ready: boolean; written: boolean }) {
  let current = app
  const up = copies.ready ? 1 : 0
  const deployment = {
    metadata: {
      name: 'web',
      resourceVersion: '9',
      generation: 1,
      annotations: { [annotations.release]: attempt.record },
    },
    spec: { replicas: 1 },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: up, availableReplicas: up },
  }
  // The add-on and the objects of sleep: read only for a service that sleeps.
  const own = app.spec.scaleToZero.enabled ? { metadata: { name: 'web', labels: { [labels.owner]: 'u1' } } } : undefined
  const needs = {
    client: {
      get: async ({ type }: { type: { kind: string } }) =>
        type.kind === 'Deployment' ? deployment : type.kind === 'ConfigMap' ? undefined : own,
      patch: async (_ref: unknown, { status }: { status: App['status'] }) => ({
        ...current,
        metadata: { ...current.metadata, resourceVersion: '6' },
        status: { ...current.status, ...status },
      }),
      list: async () => ({ items: [] }),
      create: async (_type: unknown, object: unknown) => object,
      apply: async (_type: unknown, object: unknown) => object,
    },
    apps: {
      cache: { get: () => current, by: () => [current], put: (written: App) => (current = written) },
      readLive: async () => current,
    },
    projects: storeOf(project),
    builds: storeOf(),
    deployments: storeOf(deployed(attempt.record), ...(copies.written ? [deployed('web-active')] : [])),
    children: {
      deployments: { get: () => deployment, getSince: () => deployment },
      pods: none,
      serviceAccounts: parts,
      services: parts,
      ingresses: parts,
      autoscalers: none,
      disruptionBudgets: none,
      volumeClaims: none,
      interceptorRoutes: none,
      scaledObjects: none,
    },
    placement: { sleep: { interceptor: { host: 'interceptor', port: 8080 }, scaler: 'scaler:9090' } },
    schedules: { put: async () => undefined, remove: async () => undefined, isUpToDate: async () => true },
    crashRestarts: 3,
    now: () => new Date('2026-01-01T00:00:05Z'),
    lateMs: 1000,
  } as unknown as ActivityNeeds // what a look of these kinds does not use is left out
  return { needs, current: () => current }
}

const way: Record<string, string[]> = {}
async function walk(title: string, app: App, change: Partial<LookInput>, copies: { ready: boolean; written: boolean }) {
  const { needs, current } = worldOf(app, copies)
  const { name, uid } = viewOf(app).plan
  const input = {
    name,
    uid,
    intent: viewOf(app).intent,
    attempt: attempt.record,
    deployment: '9',
    deadlinePassed: false,
  }
  takeStays()
  const { outcome } = await lookAtService(needs)({ ...input, ...change })
  way[`${title}: ${outcome}`] = takeStays()
  return current()
}

for (const [what, spec] of Object.entries(kinds)) {
  const begun = rollingOut(recordOf(spec))
  await walk(`a rollout${what} whose copies start`, begun, {}, { ready: false, written: false })
  const up = await walk(`a rollout${what} whose copies are up`, begun, {}, { ready: true, written: false })
  await walk(`a check of what rests${what}`, up, { attempt: noAttempt }, { ready: true, written: true })
}
process.stdout.write(JSON.stringify(way))
