/** Saves a new service: a draft with a name of its own, in an existing environment. */
import type { Params } from '../../contract/operations.ts'
import { annotations, finalizers } from '../../kinds/meta/annotations.ts'
import { recordLabels } from '../../kinds/apps/names.ts'
import { type App, type AppSpec, appSpec } from '../../kinds/apps/kind.ts'
import { refuseForeign, withSettings } from '../../kinds/apps/spec/settings.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createPlaced } from '../place/place.ts'
import { refuseTooLarge } from '../store/refuse-too-large.ts'
import { refuseTakenHost, type SettingsNeeds } from './save-settings.ts'

export type CreateNeeds = SettingsNeeds

/** The fields of `POST /apps` that are about the service itself. */
export type NewService = Omit<Params<'apps.create'>, 'draft' | 'deploy' | 'name'>

/**
 * The spec of a new service, every default filled in. Throws Problem invalid_request for fields that do not fit
 * together.
 */
export function newSpec(fields: NewService): AppSpec {
  const { project, environment, source, connectionRef, runtime, code, mode, functionTriggers, ...settings } = fields
  refuseForeign({ connectionRef }, source === 'git', 'git services')
  refuseForeign({ runtime, code, mode, functionTriggers }, source === 'function', 'functions')
  const from = {
    image: { image: {} },
    git: { git: connectionRef === undefined || connectionRef === '' ? {} : { connectionRef: { name: connectionRef } } },
    function: { function: {} },
  }
  const bare = appSpec.parse({ project, environment, source: from[source] })
  const spec = withSettings(bare, {
    ...settings,
    functionRuntime: runtime,
    functionCode: code,
    functionMode: mode,
    functionTriggers,
  })
  refuseTooLarge(spec)
  return spec
}

/** Throws Problem invalid_request, e.g. when another request has taken the name. */
export async function createDraft(needs: CreateNeeds, name: string, spec: AppSpec): Promise<App> {
  await refuseTakenHost(needs, name, spec.ingress.host, spec)
  return createPlaced(needs, 'app', needs.apps, draft(name, spec))
}

export function draft(name: string, spec: AppSpec): App {
  return {
    apiVersion,
    kind: resourceTypes.app.kind,
    metadata: {
      name,
      namespace: systemNamespace,
      labels: recordLabels(spec),
      annotations: { [annotations.pendingChanges]: 'created' },
      finalizers: [finalizers.app],
    },
    spec,
  }
}
