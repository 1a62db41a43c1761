/** Saves settings of a service: live ones apply at once, the others wait for a deploy, which may be asked for in the same write. */

import { Problem, refusals, refuse } from '../../contract/problem.ts'
import { annotations } from '../../kinds/annotations.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { isSamePlace, refuseMove } from '../../kinds/apps/place.ts'
import { type Settings, withSettings } from '../../kinds/apps/settings.ts'
import { type PlaceNeeds, refuseLostPlace, refuseMissingPlace } from '../place.ts'
import { refuseInvalid } from '../refuse-invalid.ts'
import { type AcceptNeeds, acceptDeploy, type DeployRequest } from './accept-deploy.ts'
import { type EditNeeds, editApp, editSpec } from './edit-app.ts'

export interface SettingsNeeds extends EditNeeds, PlaceNeeds {
  /** The service that has this public host, if any. */
  hostOwner: (host: string) => string | undefined
}

/** One conditional write. Throws Problem not_found, invalid_request. */
export async function saveSettings(needs: SettingsNeeds, name: string, settings: Settings, ifMatch?: string): Promise<App> {
  refuseTakenHost(needs, name, settings.host)
  await refuseTakenPlace(needs, name, settings)
  let before: AppSpec | undefined
  const change = (app: App): AppSpec => {
    before = app.spec
    return moved(app, settings, false)
  }
  const saved = await editSpec(needs, name, change, ifMatch)
  if (before === undefined || isSamePlace(before, saved.spec)) return saved
  // Whoever archives an environment looks for services before; this looks for the environment after. One of both sees the other.
  const { project, environment } = before
  try {
    await refuseLostPlace(saved.spec, needs.projects)
  } catch (refusal) {
    await editSpec(needs, name, ({ spec }) => ({ ...spec, project, environment }))
    throw refusal
  }
  return saved
}

/** The settings applied to a record, on the condition that it may go where they take it. */
function moved(app: App, settings: Settings, deploy: boolean): AppSpec {
  const wanted = withSettings(app.spec, settings)
  if (!isSamePlace(app.spec, wanted)) refuseMove(app, { deploy })
  return wanted
}

/** A place that is not there, or where something else has the name of the service. */
async function refuseTakenPlace(needs: SettingsNeeds, name: string, { project, environment }: Settings): Promise<void> {
  if (project === undefined && environment === undefined) return
  const app = await needs.apps.read(name)
  if (app === undefined) throw new Problem('not_found', refusals.appNotFound)
  const to = { project: project ?? app.spec.project, environment: environment ?? app.spec.environment }
  if (isSamePlace(app.spec, to)) return
  await refuseMissingPlace(to, needs.projects)
  if (await needs.names.takenNow('app', name, to)) throw refuse(`the name ${name} is already used in environment ${to.environment}`)
}

/** Settings and deploy in one write: with no room, neither is done. */
export async function saveAndDeploy(
  needs: SettingsNeeds & AcceptNeeds,
  name: string,
  settings: Settings,
  request: Omit<DeployRequest, 'change' | 'operation'>,
): Promise<App> {
  refuseTakenHost(needs, name, settings.host)
  await refuseTakenPlace(needs, name, settings)
  const change = (app: App) => {
    const wanted = moved(app, settings, true)
    return { spec: wanted, deployed: wanted, pending: [] }
  }
  return acceptDeploy(needs, name, { ...request, operation: 'deploy', change }).catch(refuseInvalid)
}

/** One host belongs to one service (design, State). Which one is not told: it may be another project's. */
export function refuseTakenHost({ hostOwner }: Pick<SettingsNeeds, 'hostOwner'>, name: string, host: string | undefined): void {
  if (host === undefined || host === '') return
  const owner = hostOwner(host)
  if (owner !== undefined && owner !== name) throw refuse('this host is used by another service')
}

/** The display label of a service; empty takes it away. */
export function saveDisplayName(needs: EditNeeds, name: string, displayName: string, ifMatch?: string): Promise<App> {
  return editApp(
    needs,
    name,
    (app) => {
      const { [annotations.displayName]: _, ...others } = app.metadata.annotations ?? {}
      const label = displayName.trim()
      return { ...app, metadata: { ...app.metadata, annotations: label === '' ? others : { ...others, [annotations.displayName]: label } } }
    },
    ifMatch,
  )
}
