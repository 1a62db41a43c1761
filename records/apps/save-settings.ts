/**
 * Saves settings of a service: live ones apply at once, the others wait for a deploy, which the same write may accept.
 */
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import type { HostTrouble } from '../../kinds/apps/hosts.ts'
import { isSamePlace, refuseMove } from '../../kinds/apps/spec/place.ts'
import { type ServiceSettings, withSettings } from '../../kinds/apps/spec/settings.ts'
import { type ExistingVolume, refuseVolumeSize } from '../../kinds/apps/spec/volume.ts'
import { type Place, type PlaceNeeds, refuseLostPlace, refuseMissingPlace } from '../place/place.ts'
import { refuseInvalid } from '../store/refuse-invalid.ts'
import { type AcceptNeeds, acceptDeploy, type DeployRequest } from './accept-deploy.ts'
import { type EditNeeds, editApp, editSpec } from './edit-app.ts'
import { defined } from '../../contract/defined.ts'

export interface SettingsNeeds extends EditNeeds, PlaceNeeds {
  /**
   * Why the service may not have this public host; decided on the cache, since the worker checks again. A service that
   * has it by the cache is read live before: it may have lost the host a moment ago.
   */
  hostTrouble: (
    host: string,
    name: string,
    place: Partial<Pick<AppSpec, 'project' | 'environment'>>,
  ) => Promise<HostTrouble | undefined>
}

export interface VolumeNeeds {
  /** The existing volume of the service; from the cache, since the worker checks again. */
  volumeOf: (app: App) => ExistingVolume | undefined
}

/** Throws Problem for a change that this caller may not make; called with the record that the write replaces. */
export type Judge = (before: AppSpec, after: AppSpec) => void

interface JudgedNeeds extends SettingsNeeds, VolumeNeeds {
  judge?: Judge
}

/** One conditional write. Throws Problem not_found, invalid_request. */
export async function saveSettings(
  needs: JudgedNeeds,
  name: string,
  settings: ServiceSettings,
  ifMatch?: string,
  actor?: string,
): Promise<App> {
  await refuseTakenHost(needs, name, settings.host, settings)
  await refuseTakenPlace(needs, name, settings)
  let before: AppSpec | undefined
  const change = (app: App): AppSpec => {
    before = app.spec
    return moved(needs, app, settings, false)
  }
  const saved = await editSpec(needs, name, change, ifMatch, actor)
  if (before === undefined || isSamePlace(before, saved.spec)) return saved
  // The project's workflow looks for services after the archiving of an environment was written; this code looks for
  // the environment after the move was written. At least one of the two sees the other: the move is undone, or the
  // service is deleted with the environment. The same holds for something else of its name that is made there.
  const { project, environment } = before
  try {
    await refuseLostPlace(saved.spec, needs.projects)
    await refuseTakenName(needs, name, saved.spec)
  } catch (refusal) {
    await editSpec(needs, name, ({ spec }) => ({ ...spec, project, environment }))
    throw refusal
  }
  return saved
}

/**
 * The spec with the settings. Throws Problem where the service may not move to the new place or its volume cannot have
 * the new size.
 */
function moved({ volumeOf, judge }: JudgedNeeds, app: App, settings: ServiceSettings, deploy: boolean): AppSpec {
  const wanted = withSettings(app.spec, settings)
  judge?.(app.spec, wanted)
  const there = wanted.volume?.size === app.spec.volume?.size ? undefined : volumeOf(app)
  if (wanted.volume !== undefined && there !== undefined) refuseVolumeSize(wanted.volume.size, there)
  if (!isSamePlace(app.spec, wanted)) refuseMove(app, { deploy })
  return wanted
}

/** Throws Problem for a place that does not exist, or where another resource has the name of the service. */
async function refuseTakenPlace(
  needs: SettingsNeeds,
  name: string,
  { project, environment }: ServiceSettings,
): Promise<void> {
  if (project === undefined && environment === undefined) return
  // Read live: the place that is left out is the one that the service has now.
  const app = await needs.apps.readLive(name)
  if (app === undefined) throw new Problem('not_found', refusals.appNotFound)
  const to = { project: project ?? app.spec.project, environment: environment ?? app.spec.environment }
  if (isSamePlace(app.spec, to)) return
  await refuseMissingPlace(to, needs.projects)
  await refuseTakenName(needs, name, to)
}

async function refuseTakenName({ names }: SettingsNeeds, name: string, to: Place): Promise<void> {
  if (await names.takenNow('app', name, to))
    throw refuse(`the name ${name} is already used in environment ${to.environment}`)
}

/** Settings and deploy in one write: without capacity neither happens. */
export async function saveAndDeploy(
  needs: JudgedNeeds & AcceptNeeds,
  known: App,
  settings: ServiceSettings,
  request: Omit<DeployRequest, 'change' | 'operation'>,
): Promise<App> {
  await refuseTakenHost(needs, known.metadata.name, settings.host, settings)
  await refuseTakenPlace(needs, known.metadata.name, settings)
  const change = (app: App) => {
    const wanted = moved(needs, app, settings, true)
    return { spec: wanted, deployed: wanted, pending: [] }
  }
  return acceptDeploy(needs, known, { ...request, operation: 'deploy', change }).catch(refuseInvalid)
}

const hostRefusals = {
  platform: 'this host belongs to the platform',
  given: 'this host is kept for another service',
  service: 'this host is used by another service',
} as const satisfies Record<HostTrouble, string>

/**
 * One host belongs to one service (docs/ownership.md). The refusal does not name the owner, who may be in another
 * project.
 */
export async function refuseTakenHost(
  needs: Pick<SettingsNeeds, 'hostTrouble'>,
  name: string,
  host: string | undefined,
  { project, environment }: { project?: string | undefined; environment?: string | undefined },
): Promise<void> {
  if (host === undefined || host === '') return
  const trouble = await needs.hostTrouble(host, name, defined({ project, environment }))
  if (trouble !== undefined) throw refuse(hostRefusals[trouble])
}

/** Sets the display name of a service; an empty one removes it. */
export function saveDisplayName(needs: EditNeeds, name: string, displayName: string, ifMatch?: string): Promise<App> {
  return editApp(
    needs,
    name,
    (app) => {
      const { [annotations.displayName]: _, ...others } = app.metadata.annotations ?? {}
      const label = displayName.trim()
      return {
        ...app,
        metadata: {
          ...app.metadata,
          annotations: label === '' ? others : { ...others, [annotations.displayName]: label },
        },
      }
    },
    ifMatch,
  )
}
