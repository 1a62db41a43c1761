/**
 * Compares services with their copies on every event, by the cache alone, and wakes the workflow of one that needs a
 * look.
 */
import { madeFor } from '../../activities/apps/observe.ts'
import type { ChildCaches, PlacementSettings } from '../../activities/context/needs.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import { hostKeys } from '../../kinds/apps/hosts.ts'
import { assess } from '../../kinds/apps/judge.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { isHistoryMissing } from '../../kinds/apps/attempt-history.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { activeRecordName, volumeClaimName, wakeServiceName } from '../../kinds/apps/names.ts'
import { attributesOf } from '../../durable/messages.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { isKeptAwake, sleepTurn } from '../../kinds/apps/sleep.ts'
import { wakeReasonOf, type WakeReason } from '../../kinds/apps/wake-reason.ts'
import { environmentWaits } from '../../kinds/meta/condition-reasons.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
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

/** Where services get hosts, and which hosts no service may have. */
type Placed = Pick<PlacementSettings, 'autoHosts' | 'reservedHosts'>

const placedKey = ({ autoHosts, reservedHosts = [] }: Placed): string =>
  [autoHosts?.domain ?? '', ...reservedHosts].join(' ')

/** The api stops trying its own wake after 1.5 s. */
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

  /** What waits for its environment looks again when that changes. */
  const kick = (waiting: readonly App[]) => {
    for (const app of waiting) {
      const reason = readyOf(app.status?.conditions)?.reason ?? ''
      if (Object.hasOwn(environmentWaits, reason))
        queue.add('app', app.metadata.name, { reason: 'its environment changed' })
    }
  }
  /** While an attempt runs, changes of its copies are not debounced; one verdict wakes once all the same. */
  const ofChild = ({ object }: { object: KubeObject }) => {
    const name = object.metadata.labels?.[labels.app] ?? ''
    const app = apps.get(name, systemNamespace)
    if (app === undefined) return
    const runs = app.status?.lastAttempt?.phase === 'Running'
    const waking = runs || woken.has(name) ? wakingOf(app) : undefined
    // What is whole again at this event may be lost once more before the window is over: that wakes once more.
    if (waking === undefined) woken.delete(name)
    if (runs) decide(name, waking, false)
    else debounce.touch(name)
  }
  const stops = [
    apps.onChange(({ type, object }) => {
      elsewhere.note(object, type === 'delete')
      debounce.touch(object.metadata.name)
      // It may ask for a host that another has, or be the one that it belongs to.
      for (const key of hostKeys(object)) for (const { metadata } of apps.by('host', key)) debounce.touch(metadata.name)
    }),
    projects.onChange(({ object }) => {
      const ofProject = apps.by('project', object.metadata.name)
      kick(ofProject)
      // Its region or required tags may have changed, which are no part of a service's own record.
      for (const { metadata } of ofProject) debounce.touch(metadata.name)
    }),
    platformConfig.onChange(() => {
      const now = placedKey(placement())
      if (now === given) return
      given = now
      // Services without a host of their own get one, or another, or lose it; one may have a host that is the
      // platform's from now on.
      for (const { metadata } of apps.list()) debounce.touch(metadata.name)
    }),
    // Whether a service may sleep is no part of its own record.
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
 * this one would only have the server do its task again. Should it have died, the wake follows.
 */
class AcceptedElsewhere {
  readonly #localWakes: LocalWakes
  /** By service: the intent that is worked on, and until when it is left alone, in milliseconds of this process. */
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

/** What a service consists of. */
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

/** Why this service's workflow should look. */
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
  const { health, lost, missing, overwritten, unsaid, isMoved, address, sleep } = assess(view, spec, {
    deployment: children.deployments.get(name, namespace),
    pods,
    made: madeFor(children, view),
    applied: app.status?.applied,
    addOn: spec.scaleToZero.enabled && isAddOnThere(children),
    hosts: { auto: autoHosts, reserved: reservedHosts, services: apps },
    sleep: {
      route: isThere(children.interceptorRoutes.get(name, namespace)),
      scaler: isThere(scaler),
      service: isThere(children.services.get(wakeServiceName(name, uid), namespace)),
    },
    nodes: choiceKey(nodeChoiceOf(projects.get(spec.project, systemNamespace))),
  })
  const losses = [
    ...missing,
    // With the state of the copies: the word is written once they are up, so that has to wake it once more.
    ...(unsaid === '' ? [] : [`${unsaid} (${health.reason})`]),
    // Named, since one change may follow another before the first is seen to be done.
    ...(isMoved ? [`the address ${address.url || 'of nothing'}`] : []),
  ]
  const hosts = lost.map(({ host }) => host)
  const history = isHistoryMissing(view, deployments.get(activeRecordName(name), systemNamespace))
  const turned = sleepTurn(app, sleep.active, health)
  const kept = isKeptAwake(sleep.active, scaler)
  const volume = children.volumeClaims.get(volumeClaimName(name), namespace)?.metadata.labels?.[labels.owner] === uid
  return wakeReasonOf(
    view,
    health,
    { pods: pods.length, volume },
    { missing: losses, hosts, history, turned, kept, overwritten },
  )
}

const isThere = (object: KubeObject | undefined): boolean =>
  object !== undefined && object.metadata.deletionTimestamp === undefined

/** Whether the cluster serves what services sleep by, as far as the watch has seen. */
const isAddOnThere = ({ sleepKinds }: ChildCaches): boolean => sleepKinds.every((kind) => kind.list().some(isThere))
