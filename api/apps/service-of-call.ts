/** Which service a call is about, whether its caller may see it, and the wake of its workflow. */
import { sees, type Caller } from '../../contract/caller.ts'
import { Problem, refusals } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { judgedStore, OtherRecord } from '../../records/store/judged-store.ts'
import { askedBy } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import type { Writes } from '../context/writes.ts'

export interface AppCall {
  readonly params: { readonly app: string }
  readonly caller: Caller
  readonly requestId: string
  readonly ifMatch?: string
}

/** Throws 404 also for a service that a project token may not see. */
export async function appOf({ records }: Needs, { params, caller }: Pick<AppCall, 'params' | 'caller'>): Promise<App> {
  return visible(caller, await records.apps.read(params.app))
}

/** The live service: for work that is done by its name alone, and would reach another service of that name. */
export async function liveAppOf(
  { records }: Needs,
  { params, caller }: Pick<AppCall, 'params' | 'caller'>,
): Promise<App> {
  return visible(caller, await records.apps.readLive(params.app))
}

/**
 * Runs a write on the service that the caller was authorized for, and on no other of its name: the writes check the
 * very record that they replace. When the live record is another one, nothing was written; the caller is checked
 * against that record, and the work repeated.
 */
export async function onApp<Result>(
  needs: Needs,
  { params, caller }: Pick<AppCall, 'params' | 'caller'>,
  work: (app: App, writes: Writes) => Promise<Result>,
): Promise<Result> {
  const judged = (app: App) => {
    const may = ({ metadata, spec }: App) =>
      metadata.uid === app.metadata.uid && sees(caller, spec.project, spec.environment)
    return work(app, { ...needs.writes, apps: judgedStore(needs.writes.apps, may, refusals.appNotFound) })
  }
  const app = visible(caller, await needs.records.apps.read(params.app))
  try {
    return await judged(app)
  } catch (error) {
    if (!(error instanceof OtherRecord)) throw error
    return judged(visible(caller, await needs.records.apps.readLive(params.app)))
  }
}

function visible(caller: Caller, app: App | undefined): App {
  if (app === undefined || !sees(caller, app.spec.project, app.spec.environment))
    throw new Problem('not_found', refusals.appNotFound)
  return app
}

/**
 * The service as it is now, for streams: undefined once it is deleted, or moved to where the caller may not see it.
 */
export const stillSeen =
  ({ caches }: Needs, caller: Caller, { metadata: { name, uid } }: App) =>
  (): App | undefined => {
    const app = caches.apps.get(name, systemNamespace)
    const isVisible = app !== undefined && sees(caller, app.spec.project, app.spec.environment)
    return isVisible && app.metadata.uid === uid ? app : undefined
  }

/** Wakes the service's workflow in the background. */
export function wakeApp(
  { wakes }: Needs,
  name: string,
  reason: string,
  call: Pick<AppCall, 'caller' | 'requestId'>,
): void {
  wakes.wake('app', name, { reason, ...askedBy(call) })
}
