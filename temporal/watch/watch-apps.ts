/**
 * Compares services with their objects on every event, by the caches, and wakes the workflow of a service that needs a
 * pass.
 */
import { madeFor } from '../../activities/apps/observe.ts'
import type { ChildCaches, PlacementSettings } from '../../activities/context/needs.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import { hostKeys } from '../../kinds/apps/hosts.ts'
import { assess } from '../../kinds/apps/assess/judge.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { volumeClaimName, wakeServiceName } from '../../kinds/apps/names.ts'
import { attributesOf } from '../../durable/messages.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { isKeptAwake, sleepTurn } from '../../kinds/apps/assess/sleep.ts'
import { wakeReasonOf, type WakeReason } from '../../kinds/apps/assess/wake-reason.ts'
import { environmentWaits } from '../../kinds/meta/condition-reasons.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { choiceKey, nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { Debounce } from './debounce.ts'
import type { LocalWakes } from './local-wakes.ts'
import type { WakeQueue } from './wake-queue.ts'
import type { Watch } from './watch.ts'

export interface WatchedCaches {
  apps: ResourceCache<App>
  projects: ResourceCache<Project>
  deployments: ResourceCache<Deployment>
  children: ChildCaches
  platformConfig: Pick<ResourceCache<PlatformConfig>, 'onChange'>
}

/** The domain of generated hosts, and the hosts that no service may have. */
type Placed = Pick<PlacementSettings, 'autoHosts' | 'reservedHosts'>

const placedKey = ({ autoHosts, reservedHosts = [] }: Placed): string =>
  [autoHosts?.domain ?? '', ...reservedHosts].join(' ')

/** Delay of a wake that the api sends, too; the api stops trying after 1.5 s. */
const echoMs = 2_000

/** Starts comparing; every service is compared once at the start, so that drift during a downtime is seen. */
export function watchApps(
  { apps, projects, deployments, children, platformConfig }: WatchedCaches,
  queue: WakeQueue,
  localWakes: LocalWakes,
  placement: () => Placed = () => ({}),
): Watch {
  const woken = new Map<string, string>()
  const elsewhere = new AcceptedElsewhere(localWakes)
  let given = placedKey(placement())

  const wakingOf = (app: App | undefined) =>
    app && reasonFor(app, { apps, projects, deployments, children }, placement())
  const wakingNow = (name: string) => wakingOf(apps.get(name, systemNamespace))
  const decide = (name: string, waking: WakeReason | undefined, trailing: boolean) => {
    // A deploy that a newer one has replaced is awaited no longer, either.
    if (waking?.asks === undefined || woken.get(name) !== waking.key) queue.noteAccepted(name)
    if (waking === undefined) woken.delete(name)
    if (waking === undefined || woken.get(name) === waking.key) return
    const isTaken = localWakes.take(name, () => addTo(queue, name, waking), { isNew: waking.asks !== undefined })
    if (!isTaken && ((waking.echo && !trailing) || elsewhere.has(name))) {
      echoes.later(name)
      return
    }
    woken.set(name, waking.key)
    if (!isTaken) addTo(queue, name, waking)
  }
  const check = (name: string, trailing: boolean) => decide(name, wakingNow(name), trailing)
  const debounce = new Debounce(check)
  const echoes = new Debounce(check, echoMs)

  /** Wakes services that wait for their environment, after a change of the environment. */
  const kick = (waiting: readonly App[]) => {
    for (const app of waiting) {
      const reason = viewOf(app).ready?.reason ?? ''
      if (Object.hasOwn(environmentWaits, reason))
        queue.add('app', app.metadata.name, { reason: 'its environment changed' })
    }
  }
  /** While an attempt runs, events of its copies are not debounced; still the same verdict wakes only once. */
  const ofChild = ({ object }: { object: KubeObject }) => {
    const name = object.metadata.labels?.[labels.app] ?? ''
    const app = apps.get(name, systemNamespace)
    if (app === undefined) return
    const runs = app.status?.lastAttempt?.phase === 'Running'
    const waking = runs || woken.has(name) ? wakingOf(app) : undefined
    // If the service is whole at this event, a new loss within the window must wake again.
    if (waking === undefined) woken.delete(name)
    if (runs) decide(name, waking, false)
    else debounce.touch(name)
  }
  const stops = [
    apps.onChange(({ type, object }) => {
      elsewhere.note(object, type === 'delete')
      debounce.touch(object.metadata.name)
      // Services with the same host are compared, too: a change of this one may decide which of them owns the host.
      for (const key of hostKeys(object)) for (const { metadata } of apps.by('host', key)) debounce.touch(metadata.name)
    }),
    projects.onChange(({ object }) => {
      const ofProject = apps.by('project', object.metadata.name)
      kick(ofProject)
      // Region or required tags of the project may have changed, which the service's record does not hold.
      for (const { metadata } of ofProject) debounce.touch(metadata.name)
    }),
    platformConfig.onChange(() => {
      const now = placedKey(placement())
      if (now === given) return
      given = now
      // The generated hosts of services may have changed, or a service may have a host that is the platform's now.
      for (const { metadata } of apps.list()) debounce.touch(metadata.name)
    }),
    // Whether a service may sleep depends on the add-on as well.
    ...children.sleepKinds.map((kind) =>
      kind.onChange(() => {
        for (const { metadata, spec } of apps.list()) if (spec.scaleToZero.enabled) debounce.touch(metadata.name)
      }),
    ),
    children.namespaces.onChange(({ object }) => kick(apps.by('environment', object.metadata.name))),
    ...madeOf.map((kind) => (children[kind] as ResourceCache<KubeObject>).onChange(ofChild)),
  ]
  for (const app of apps.list()) check(app.metadata.name, true)
  return {
    kind: 'app',
    missingOf: (name) => wakingNow(name)?.reason,
    stop() {
      for (const stop of stops) stop()
      debounce.stop()
      echoes.stop()
    },
  }
}

function addTo(queue: WakeQueue, name: string, { reason, asks }: WakeReason): void {
  if (asks === undefined) queue.add('app', name, { reason })
  else queue.add('app', name, { reason, intent: asks.intent }, attributesOf(asks))
}

/**
 * Services whose attempt another worker accepted a moment ago: that worker waits for the copies itself, and a wake by
 * this one would only make Temporal repeat its task. The wake is delayed, not dropped, since that worker may have died.
 */
class AcceptedElsewhere {
  readonly #localWakes: LocalWakes
  /** By service: the accepted intent, and until when no wake is sent, by this process's `performance.now()`. */
  readonly #accepted = new Map<string, { intent: string; until: number }>()

  constructor(localWakes: LocalWakes) {
    this.#localWakes = localWakes
  }

  note({ metadata: { name }, status }: App, isGone: boolean): void {
    const intent = !isGone && status?.lastAttempt?.phase === 'Running' ? (status.acceptedIntent ?? '') : ''
    if (intent === '') this.#accepted.delete(name)
    else if (intent !== this.#accepted.get(name)?.intent)
      this.#accepted.set(name, { intent, until: this.#localWakes.hasBegun(name) ? 0 : performance.now() + echoMs })
  }

  has(name: string): boolean {
    return (this.#accepted.get(name)?.until ?? 0) > performance.now()
  }
}

/** The caches of the objects that a service consists of. */
const madeOf = [
  'deployments',
  'pods',
  'services',
  'serviceAccounts',
  'ingresses',
  'autoscalers',
  'disruptionBudgets',
  'volumeClaims',
  'interceptorRoutes',
  'scaledObjects',
] as const satisfies readonly (keyof ChildCaches)[]

/** Why the service's workflow should be woken; undefined without a reason. */
function reasonFor(
  app: App,
  { apps, projects, deployments, children }: Omit<WatchedCaches, 'platformConfig'>,
  { autoHosts, reservedHosts = [] }: Placed,
) {
  const view = viewOf(app)
  const { effectiveSpec: spec = app.spec, namespace } = view
  const { name, uid = '' } = app.metadata
  const pods = children.pods.by('owner', uid)
  const scaler = children.scaledObjects.get(name, namespace)
  const { health, lost, missing, overwritten, unsaid, isMoved, historyMissing, address, sleep } = assess(view, spec, {
    deployment: children.deployments.get(name, namespace),
    pods,
    made: madeFor(children, view),
    applied: app.status?.applied,
    addOn: spec.scaleToZero.enabled && isAddOnThere(children),
    hosts: { auto: autoHosts, reserved: reservedHosts, services: apps },
    history: deployments,
    sleep: {
      route: isThere(children.interceptorRoutes.get(name, namespace)),
      scaler: isThere(scaler),
      service: isThere(children.services.get(wakeServiceName(name, uid), namespace)),
    },
    nodes: choiceKey(nodeChoiceOf(projects.get(spec.project, systemNamespace))),
  })
  const losses = [
    ...missing,
    // With the state of the copies in the key: the status is written once they are ready, so that must wake again.
    ...(unsaid === '' ? [] : [`${unsaid} (${health.reason})`]),
    // With the address in the key, since it may change again before the first change is applied.
    ...(isMoved ? [`the address ${address.url || 'of nothing'}`] : []),
  ]
  const hosts = lost.map(({ host }) => host)
  const turned = sleepTurn(app, sleep.active, health)
  const kept = isKeptAwake(sleep.active, scaler)
  const volume = children.volumeClaims.get(volumeClaimName(name), namespace)?.metadata.labels?.[labels.owner] === uid
  return wakeReasonOf(
    view,
    health,
    { pods: pods.length, volume },
    { missing: losses, hosts, history: historyMissing, turned, kept, overwritten },
  )
}

const isThere = (object: KubeObject | undefined): boolean =>
  object !== undefined && object.metadata.deletionTimestamp === undefined

/** Whether the cluster serves the kinds of the serverless add-on, by the caches. */
const isAddOnThere = ({ sleepKinds }: ChildCaches): boolean => sleepKinds.every((kind) => kind.list().some(isThere))
