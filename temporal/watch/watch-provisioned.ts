/**
 * Wakes the workflow of a database, logical database, bucket or cloud connection: when its record asks for something,
 * what it waits for changed, or what was made is gone.
 */
import type { ChildCaches } from '../../activities/context/needs.ts'
import type { ComparedKind } from '../../kinds/meta/resource-types.ts'
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import {
  isNotAccepted,
  isReconciling,
  type Provisioned,
  type ProvisionPlan,
  provisionPlan,
  type ProvisionRules,
  type ReconciledRecord,
} from '../../kinds/provision/plan.ts'
import { isAwaiting } from '../../kinds/provision/state.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { Debounce } from './debounce.ts'
import type { WakeQueue } from './wake-queue.ts'
import type { Watch } from './watch.ts'

/** What the watch knows of one kind. */
export interface WatchedKind<T extends ReconciledRecord & KubeObject> {
  kind: ComparedKind
  cache: ResourceCache<T>
  rules: ProvisionRules<T>
  /** What a ready record is missing, by the cache alone, e.g. `Secret calm-otter-connection`; '' when nothing. */
  missing: (record: T) => string
  /** Other watches that `missing` depends on: which record an object of theirs is about. */
  alsoOf?: readonly { cache: ResourceCache<KubeObject>; recordOf: (object: KubeObject) => readonly T[] }[]
  /** Whether a waiting record may go on since another record changed, e.g. the server it is on. */
  dependsOn: (record: T, other: ReconciledRecord & KubeObject) => boolean
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

/** The watch of one kind, with its own type kept to itself. */
export function watched<T extends ReconciledRecord & KubeObject>(watchedKind: WatchedKind<T>): ProvisionedKinds {
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
  /** Each missing thing wakes once: the run repairs it, or waits and says so. */
  const woken = new Map<string, string>()
  /** Why a waiting record should look again. */
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
    // A running pass sees what moved: it looks again once it has written what it waits for.
    if (reason !== undefined && !trailing && isReconciling(plan, record) && !isAwaiting(record)) debounce.later(name)
    else if (moved.delete(name) && reason !== undefined && isReconciling(plan, record) && isAwaiting(record))
      wake(name, reason)
    const missing = missingOf(watchedKind, record, plan)
    if (missing === undefined) woken.delete(name)
    else if (!trailing)
      debounce.later(name) // the watch of what was made a moment ago may be behind
    else if (woken.get(name) !== missing) {
      woken.set(name, missing)
      wake(name, missing)
    }
  }
  const debounce = new Debounce(check)
  /** What is whole again at this event may be lost once more before the window is over: that wakes once more. */
  const forgetMended = (record: T) => {
    if (woken.has(record.metadata.name) && watchedKind.missing(record) === '') woken.delete(record.metadata.name)
  }
  /** Waiting records look again when something around them moves. */
  const kick = (records: readonly T[], reason: string) => {
    for (const record of records) {
      forgetMended(record)
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
          forgetMended(record)
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

/** Each environment that changed, or whose Secrets have come to be known: only then can one be missed. */
function onEnvironment(
  { namespaces, connectionSecrets }: ChildCaches,
  listener: (namespace: string) => void,
): (() => void)[] {
  return [namespaces.onChange(({ object }) => listener(object.metadata.name)), connectionSecrets.onKnown(listener)]
}

/** As a reason of a wake; undefined where nothing is missing. */
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

/** The connection Secret, where the record says that it has one. */
export function missingConnection(
  record: Provisioned & { status?: { connectionSecret?: string | undefined } },
  { connectionSecrets }: ChildCaches,
): string {
  const name = record.status?.connectionSecret
  return name !== undefined && connectionSecrets.isMissing(name, homeOf(record.spec)) ? `Secret ${name}` : ''
}
