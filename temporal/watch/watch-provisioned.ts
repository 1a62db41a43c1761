/**
 * Wakes the workflow of a provisioned record when the record has a new intent, when something that it waits for has
 * changed, or when an object made for it is gone.
 */
import type { ChildCaches } from '../../activities/context/needs.ts'
import type { WatchRules } from '../../activities/provision/watch-rules.ts'
import { provisioned } from '../../activities/provisioned-kinds.ts'
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { type ComparedKind, type ProvisionedKind, provisionedKinds } from '../../kinds/meta/resource-types.ts'
import {
  isNotAccepted,
  isReconciling,
  type ProvisionPlan,
  provisionPlan,
  type ProvisionRules,
  type ReconciledRecord,
} from '../../kinds/provision/plan.ts'
import { isAwaiting } from '../../kinds/provision/state.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { WorkerCaches } from '../caches/worker-caches.ts'
import { Debounce } from './debounce.ts'
import type { WakeQueue } from './wake-queue.ts'
import type { Watch } from './watch.ts'

/** One kind with its rules. */
interface WatchedKind<T extends ReconciledRecord & KubeObject> extends WatchRules<T> {
  kind: ComparedKind
  cache: ResourceCache<T>
  rules: ProvisionRules<T>
}

export interface ProvisionedKinds {
  /** Notifies the watch of another kind that one of this kind changed. */
  onChange: (listener: (other: ReconciledRecord & KubeObject) => void) => () => void
  /** Starts the watch of this kind; every record is compared once at the start. */
  watch: (others: readonly ProvisionedKinds[], queue: WakeQueue, sources: WatchSources) => Watch
}

/** The caches that watches of several kinds read. */
export interface WatchSources {
  projects: ResourceCache<Project>
  children: ChildCaches
}

/** The watch of each provisioned kind. */
export function watchedKinds(caches: WorkerCaches): ProvisionedKinds[] {
  return (Object.keys(provisionedKinds) as ProvisionedKind[]).map((kind) => {
    const { rules, watch } = provisioned[kind]
    return watched({
      kind,
      cache: caches.data[provisionedKinds[kind].records],
      rules,
      ...watch(caches),
      // The cast is safe: cache, rules and watch are looked up by the same kind.
    } as unknown as WatchedKind<ReconciledRecord & KubeObject>)
  })
}

/** The watch of one kind; hides the type of its records. */
function watched<T extends ReconciledRecord & KubeObject>(watchedKind: WatchedKind<T>): ProvisionedKinds {
  return {
    onChange: (listener) => watchedKind.cache.onChange(({ object }) => listener(object)),
    watch: (others, queue, sources) => watchKind(watchedKind, others, queue, sources),
  }
}

function watchKind<T extends ReconciledRecord & KubeObject>(
  watchedKind: WatchedKind<T>,
  others: readonly ProvisionedKinds[],
  queue: WakeQueue,
  { projects, children }: WatchSources,
): Watch {
  const { kind, cache, rules, alsoOf = [], dependsOn } = watchedKind
  const wake = (name: string, reason: string) => queue.add(kind, name, { reason })
  /** The missing object that a record was last woken for: it wakes once, and the run repairs it or waits. */
  const woken = new Map<string, string>()
  /** The change of each record after which it should be woken if it waits. */
  const moved = new Map<string, string>()
  const check = (name: string, trailing: boolean) => {
    const record = cache.get(name, systemNamespace)
    if (record === undefined) {
      woken.delete(name)
      moved.delete(name)
      return
    }
    const plan = provisionPlan(rules, name, record)
    if (isNotAccepted(plan, record)) {
      if (trailing) wake(name, 'the record asks for something new')
      else debounce.later(name) // the api that wrote it sends its own wake
      return
    }
    const reason = moved.get(name)
    // Not while a pass runs: it checks once more after it has written its wait, and so finds the change.
    if (reason !== undefined && !trailing && isReconciling(plan, record) && !isAwaiting(record)) debounce.later(name)
    else if (moved.delete(name) && reason !== undefined && isReconciling(plan, record) && isAwaiting(record))
      wake(name, reason)
    const missing = missingOf(watchedKind, record, plan)
    if (missing === undefined) woken.delete(name)
    else if (!trailing)
      debounce.later(name) // the cache may not have an object that was created a moment ago
    else if (woken.get(name) !== missing) {
      woken.set(name, missing)
      wake(name, missing)
    }
  }
  const debounce = new Debounce(check)
  /** Forgets the last wake if the record is whole at this event, so that a new loss within the window wakes again. */
  const forgetIfWhole = (record: T) => {
    if (woken.has(record.metadata.name) && watchedKind.missing(record) === '') woken.delete(record.metadata.name)
  }
  /** Compares these records; those that wait are woken, with this reason. */
  const kick = (records: readonly T[], reason: string) => {
    for (const record of records) {
      forgetIfWhole(record)
      moved.set(record.metadata.name, reason)
      debounce.touch(record.metadata.name)
    }
  }
  const ofChild = ({ object }: { object: KubeObject }) => {
    const owner = object.metadata.labels?.[labels.owner]
    if (owner === undefined) return
    kick(cache.by('uid', owner), `${object.kind} ${object.metadata.name} changed`)
  }
  const dependents = (other: ReconciledRecord & KubeObject) => cache.list().filter((record) => dependsOn(record, other))
  const { statefulSets, jobs, services, connectionSecrets, pods } = children
  const stops = [
    cache.onChange(({ object }) => debounce.touch(object.metadata.name)),
    projects.onChange(({ object }) => kick(cache.by('project', object.metadata.name), 'its project changed')),
    ...onEnvironment(children, (namespace) => kick(cache.by('environment', namespace), 'its environment changed')),
    ...[statefulSets, jobs, services, connectionSecrets, pods].map((made) => made.onChange(ofChild)),
    ...alsoOf.map((also) =>
      also.cache.onChange(({ object }) => {
        for (const record of also.recordOf(object)) {
          forgetIfWhole(record)
          debounce.touch(record.metadata.name)
        }
      }),
    ),
    ...others.map((other) => other.onChange((object) => kick(dependents(object), `${object.metadata.name} changed`))),
  ]
  for (const { metadata } of cache.list()) check(metadata.name, true)
  return {
    kind,
    missingOf: (name) => missingNow(watchedKind, name),
    stop: () => [...stops, () => debounce.stop()].forEach((stop) => stop()),
  }
}

/** Reports environments that changed, or whose Secrets are listed now: only then can a Secret count as missing. */
function onEnvironment(
  { namespaces, connectionSecrets }: ChildCaches,
  listener: (namespace: string) => void,
): (() => void)[] {
  return [namespaces.onChange(({ object }) => listener(object.metadata.name)), connectionSecrets.onKnown(listener)]
}

/** The reason for a wake; undefined if nothing is missing. */
function missingOf<T extends ReconciledRecord & KubeObject>(
  { missing }: WatchedKind<T>,
  record: T,
  { mends }: ProvisionPlan,
): string | undefined {
  const what = mends ? missing(record) : ''
  return what === '' ? undefined : `it lacks ${what}`
}

function missingNow<T extends ReconciledRecord & KubeObject>(
  watchedKind: WatchedKind<T>,
  name: string,
): string | undefined {
  const record = watchedKind.cache.get(name, systemNamespace)
  return record === undefined
    ? undefined
    : missingOf(watchedKind, record, provisionPlan(watchedKind.rules, name, record))
}
