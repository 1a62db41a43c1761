/** What counts as a pending change of a service, and the record as an edit leaves it (spec, Draft and deploy model). */

import { annotations } from '../annotations.ts'
import { canonical } from '../digest.ts'
import { lastDeployed, type PendingChange, pendingChanges, withLiveSettings } from './effective-spec.ts'
import type { App, AppSpec } from './kind.ts'
import { placeLabels } from './place.ts'

/**
 * The record with another spec: pending changes counted anew, so that an edit that brings everything back clears its word,
 * and last-deployed pinned to the spec that runs when the record does not hold it yet.
 */
export function withSpec(app: App, spec: AppSpec, secretEdit = app.metadata.annotations?.[annotations.secretEdit]): App {
  const { [annotations.pendingChanges]: _, [annotations.secretEdit]: __, ...others } = app.metadata.annotations ?? {}
  const words = pendingAfter(app, spec, secretEdit !== undefined)
  return {
    ...app,
    metadata: {
      ...app.metadata,
      labels: placeLabels(app, spec),
      annotations: {
        ...(words.length > 0 && app.spec.deploy.enabled ? { [annotations.lastDeployed]: JSON.stringify(app.spec) } : {}),
        ...others,
        ...(secretEdit === undefined ? {} : { [annotations.secretEdit]: secretEdit }),
        ...(words.length === 0 ? {} : { [annotations.pendingChanges]: words.join(',') }),
      },
    },
    spec,
  }
}

function pendingAfter(app: App, spec: AppSpec, secretsEdited: boolean): PendingChange[] {
  const before = pendingChanges(app)
  if (!app.spec.deploy.enabled) {
    // A draft stays "created" whatever is set in it; variables are told apart all the same.
    const variables = secretsEdited || before.includes('variables') || variablesDiffer(app.spec, spec)
    return variables ? ['created', 'variables'] : ['created']
  }
  return pendingBetween(lastDeployed(app) ?? app.spec, spec, secretsEdited)
}

/** What a deploy of `wanted` would change in a service that runs `deployed`. */
export function pendingBetween(deployed: AppSpec, wanted: AppSpec, secretsEdited: boolean): PendingChange[] {
  return [
    ...(settingsDiffer(deployed, wanted) ? ['settings' as const] : []),
    ...(secretsEdited || variablesDiffer(deployed, wanted) ? ['variables' as const] : []),
  ]
}

function settingsDiffer(deployed: AppSpec, wanted: AppSpec): boolean {
  return canonical({ ...withLiveSettings(deployed, wanted), ...variablesOf(wanted) }) !== canonical({ ...wanted, ...variablesOf(wanted) })
}

function variablesDiffer(deployed: AppSpec, wanted: AppSpec): boolean {
  return canonical(variablesOf(deployed)) !== canonical(variablesOf(wanted))
}

/** The fields of a spec that are told as `variables`; everything else that is not live is `settings`. */
function variablesOf({ configData, env, envFrom, sharedVariableRefs, secretRef }: AppSpec) {
  return { configData, env, envFrom, sharedVariableRefs, secretRef }
}
