/** Which spec of a service is in force: undeployed edits never reach a pod, live settings always do (spec, Draft and deploy model). */

import { annotations } from '../annotations.ts'
import { canonical } from '../digest.ts'
import type { App, AppSpec } from './kind.ts'

export type PendingChange = 'created' | 'settings' | 'variables'

/** What was changed since the last deploy, in the words of the annotation; empty when nothing was. */
export function pendingChanges(app: App): PendingChange[] {
  const words = (app.metadata.annotations?.[annotations.pendingChanges] ?? '').split(',').map((word) => word.trim())
  return (['created', 'settings', 'variables'] as const).filter((word) => words.includes(word))
}

/** The spec as last deployed; undefined for a service that never was, or when the annotation is unreadable. */
export function lastDeployed(app: App): AppSpec | undefined {
  const text = app.metadata.annotations?.[annotations.lastDeployed]
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as AppSpec // written by us alone from a validated spec
  } catch {
    return undefined
  }
}

/** The spec with the live settings of another one: what "applies immediately" means (spec, Draft and deploy model 2). */
export function withLiveSettings(base: AppSpec, live: AppSpec): AppSpec {
  const { autoscaling: _scaling, logs: _logs, ...kept } = base
  const { failureThreshold: _threshold, ...deploy } = base.deploy
  const git = base.source.git
  return {
    ...kept,
    replicas: live.replicas,
    scaleToZero: live.scaleToZero,
    ingress: live.ingress,
    metrics: live.metrics,
    ...(live.autoscaling === undefined ? {} : { autoscaling: live.autoscaling }),
    ...(live.logs === undefined ? {} : { logs: live.logs }),
    deploy: {
      ...deploy,
      enabled: live.deploy.enabled,
      rollbackOnFailure: live.deploy.rollbackOnFailure,
      ...(live.deploy.failureThreshold === undefined ? {} : { failureThreshold: live.deploy.failureThreshold }),
    },
    source: git === undefined ? base.source : { ...base.source, git: { ...git, watchPatterns: live.source.git?.watchPatterns ?? git.watchPatterns } },
  }
}

/** The spec that should be running: undefined for a draft, the last deployed one with live settings while edits are pending. */
export function effectiveSpec(app: App): AppSpec | undefined {
  if (!app.spec.deploy.enabled) return undefined
  const deployed = lastDeployed(app)
  if (deployed === undefined || pendingChanges(app).length === 0) return app.spec
  return withLiveSettings(deployed, app.spec)
}

/** Whether two specs differ in something that only a deploy may apply. */
export function needsDeploy(deployed: AppSpec, wanted: AppSpec): boolean {
  return canonical(withLiveSettings(deployed, wanted)) !== canonical(wanted)
}
