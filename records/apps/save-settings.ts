/** Saves settings of a service: live ones apply at once, the others wait for a deploy, which may be asked for in the same write. */

import { refuse } from '../../contract/problem.ts'
import { annotations } from '../../kinds/annotations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { type Settings, withSettings } from '../../kinds/apps/settings.ts'
import { refuseInvalid } from '../refuse-invalid.ts'
import { type AcceptNeeds, acceptDeploy, type DeployRequest } from './accept-deploy.ts'
import { type EditNeeds, editApp, editSpec } from './edit-app.ts'

export interface SettingsNeeds extends EditNeeds {
  /** The service that has this public host, if any. */
  hostOwner: (host: string) => string | undefined
}

/** One conditional write. Throws Problem not_found, invalid_request. */
export async function saveSettings(needs: SettingsNeeds, name: string, settings: Settings, ifMatch?: string): Promise<App> {
  refuseTakenHost(needs, name, settings.host)
  return editSpec(needs, name, ({ spec }) => withSettings(spec, settings), ifMatch)
}

/** Settings and deploy in one write: with no room, neither is done. */
export async function saveAndDeploy(
  needs: SettingsNeeds & AcceptNeeds,
  name: string,
  settings: Settings,
  request: Omit<DeployRequest, 'change' | 'operation'>,
): Promise<App> {
  refuseTakenHost(needs, name, settings.host)
  const change = ({ spec }: App) => {
    const wanted = withSettings(spec, settings)
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
