/**
 * Wakes the workflow of a build when its record, its Job or its deploy has changed, and the workflow of the service
 * when the build has made a step.
 */
import type { ChildCaches } from '../../activities/context/needs.ts'
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { isChecked } from '../../kinds/builds/checks.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { isFinished } from '../../kinds/builds/phase.ts'
import { planOfBuild } from '../../kinds/builds/plan.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { Debounce } from './debounce.ts'
import type { WakeQueue } from './wake-queue.ts'
import type { Watch } from './watch.ts'

export function watchBuilds(
  { apps, builds, children }: { apps: ResourceCache<App>; builds: ResourceCache<Build>; children: ChildCaches },
  queue: WakeQueue,
): Watch {
  const find = (name: string) => builds.get(name, systemNamespace)
  /** The key that a build was last woken for: a status write of its own run does not change the key. */
  const woken = new Map<string, string>()
  /** The step of a build that its service was last woken for, since the service's status shows that step. */
  const shown = new Map<string, string>()
  const buildKey = ({ metadata, spec, status }: Build) =>
    `${metadata.uid ?? ''} ${metadata.deletionTimestamp === undefined ? '' : 'deleted'} ${String(spec.cancelled)} ${isFinished({ metadata, spec, status } as Build) ? 'over' : ''}`
  const check = (name: string) => {
    const build = find(name)
    if (build === undefined) {
      woken.delete(name)
      shown.delete(name)
      return
    }
    const step = `${build.status?.phase ?? ''} ${build.status?.message ?? ''}`
    if (shown.get(name) !== step) {
      shown.set(name, step)
      wakeService(build)
    }
    const key = buildKey(build)
    if (woken.get(name) === key) return
    woken.set(name, key)
    if (planOfBuild(name, build).action !== 'rest')
      queue.add('build', name, { reason: 'the record asks for something' })
  }
  const wakeService = ({ metadata, spec, status }: Build) => {
    const app = apps.get(spec.app, systemNamespace)
    if (app !== undefined && viewOf(app).attempt?.record === spec.attempt && viewOf(app).attemptGoesOn)
      queue.add('app', spec.app, { reason: `build ${metadata.name}: ${status?.phase ?? ''}` })
  }
  /** Wakes builds that wait in the queue, or for an earlier build of the same service. */
  const wakeWaiting = (reason: string) => {
    for (const build of builds.list())
      if (!isFinished(build) && build.status?.jobRef === undefined && isChecked(build))
        queue.add('build', build.metadata.name, { reason })
  }
  const debounce = new Debounce(check)
  const seen = new Map<string, boolean>()
  const ofBuild = ({ type, object }: { type: string; object: Build }) => {
    const { name } = object.metadata
    const held = type !== 'delete' && object.status?.jobRef !== undefined
    if (seen.get(name) === true && !held) wakeWaiting(`build ${name} left its place`)
    if (type === 'delete') seen.delete(name)
    else seen.set(name, held)
    debounce.touch(name)
  }
  const ofChild = ({ object }: { object: KubeObject }) => {
    const { [labels.owner]: owner, [labels.purpose]: purpose } = object.metadata.labels ?? {}
    if (purpose !== 'build' || owner === undefined) return
    for (const { metadata } of builds.by('uid', owner))
      queue.add('build', metadata.name, { reason: `${object.kind} ${object.metadata.name} changed` })
  }
  const ofApp = ({ object }: { object: App }) => {
    for (const build of builds.by('app', object.metadata.name)) {
      if (isFinished(build)) continue
      const { attempt, attemptGoesOn } = viewOf(object)
      if (attempt?.record !== build.spec.attempt || !attemptGoesOn || object.metadata.deletionTimestamp !== undefined)
        queue.add('build', build.metadata.name, { reason: 'its deploy is over' })
    }
  }
  const stops = [
    builds.onChange(ofBuild),
    apps.onChange(ofApp),
    children.jobs.onChange(ofChild),
    children.pods.onChange(ofChild),
  ]
  for (const build of builds.list()) {
    seen.set(build.metadata.name, build.status?.jobRef !== undefined)
    check(build.metadata.name)
  }
  return {
    kind: 'build',
    missingOf: () => undefined,
    stop: () => [...stops, () => debounce.stop()].forEach((stop) => stop()),
  }
}
