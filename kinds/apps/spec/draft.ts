/** The draft model of services: which settings are live, and what a deploy would change. */
import { annotations } from '../../meta/annotations.ts'
import { canonical } from '../../meta/digest.ts'
import { type DraftModel, type PendingChange, withEdit } from '../../provision/draft.ts'
import { parseAnnotation, type Parsed } from '../../meta/parse-annotation.ts'
import type { ResourceMeta } from '../../meta/resource.ts'
import { type App, type AppSpec, appSpec } from '../kind.ts'
import { withPlaceLabels } from './place.ts'
import { scaledWith } from './volume.ts'
import { noBuild } from './workload-schema.ts'
import { defined } from '../../../contract/defined.ts'

export const appDraft: DraftModel<AppSpec> = {
  schema: appSpec,
  withLive: withLiveSettings,
  changes,
  editsRun: false,
  known: new WeakMap(),
}

/** The spec with the live settings of another one. */
export function withLiveSettings(base: AppSpec, live: AppSpec): AppSpec {
  const { autoscaling: _scaling, logs: _logs, ...kept } = base
  const { replicas, scaleToZero, autoscaling } = scaledWith(base.volume, live)
  const { failureThreshold: _threshold, ...deploy } = base.deploy
  const git = base.source.git
  return {
    ...kept,
    replicas,
    scaleToZero,
    ingress: live.ingress,
    metrics: live.metrics,
    ...defined({ autoscaling, logs: live.logs }),
    deploy: {
      ...deploy,
      enabled: live.deploy.enabled,
      rollbackOnFailure: live.deploy.rollbackOnFailure,
      ...defined({ failureThreshold: live.deploy.failureThreshold }),
    },
    source:
      git === undefined
        ? base.source
        : { ...base.source, git: { ...git, watchPatterns: live.source.git?.watchPatterns ?? git.watchPatterns } },
  }
}

/**
 * What a deploy of `wanted` would change in a service that runs `deployed`. `secretsEdited`: whether secret variables
 * changed, which the spec does not show.
 */
export function changes(deployed: AppSpec, wanted: AppSpec, secretsEdited = false): PendingChange[] {
  const variables = variablesOf(wanted)
  const applied = { ...withLiveSettings(deployed, wanted), ...variables }
  const before = variablesOf(deployed)
  const differs = canonical(withoutDefaults(applied)) !== canonical(withoutDefaults({ ...wanted, ...variables }))
  return [
    ...(differs ? ['settings' as const] : []),
    ...(secretsEdited || canonical(before) !== canonical(variables) ? ['variables' as const] : []),
  ]
}

/**
 * The spec without optional fields whose value is what their absence means: an edit that was taken back leaves them,
 * and a deploy of them would change nothing.
 */
function withoutDefaults({ build, runAsRoot, ...others }: AppSpec): AppSpec {
  return {
    ...others,
    ...(build === undefined || canonical(build) === canonical(noBuild) ? {} : { build }),
    ...(runAsRoot === true ? { runAsRoot } : {}),
  }
}

/**
 * The fields of a spec that count as `variables` among pending changes; every other field that is not live counts as
 * `settings`.
 */
function variablesOf({ configData, env, envFrom, sharedVariableRefs, secretRef }: AppSpec) {
  return { configData, env, envFrom, sharedVariableRefs, secretRef }
}

/**
 * The record after an edit of its spec. `secretEdit` marks an edit of secret variables
 * (kinds/apps/spec/secret-edit.ts).
 */
export function withSpec(
  app: App,
  spec: AppSpec,
  secretEdit = app.metadata.annotations?.[annotations.secretEdit],
): App {
  const edited = withEdit(appDraft, app, spec, secretEdit === undefined ? [] : ['variables'])
  const { [annotations.secretEdit]: _, ...notes } = edited.metadata.annotations ?? {}
  return {
    ...edited,
    metadata: {
      ...edited.metadata,
      labels: withPlaceLabels(app, spec),
      annotations: { ...notes, ...defined({ [annotations.secretEdit]: secretEdit }) },
    },
  }
}

/**
 * The whole spec of a deployment, which its record keeps in an annotation for rollbacks. No value for a record that
 * svc did not make, or whose annotation cannot be read; of the latter it has the reason in words.
 */
export const releaseSpecOf = ({ metadata }: { metadata: ResourceMeta }): Parsed<AppSpec> =>
  parseAnnotation(metadata, annotations.releaseSpec, appSpec)
