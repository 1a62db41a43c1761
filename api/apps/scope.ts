/** Which service a call is about, whether its caller may see it, and what is said to its workflow afterwards. */
import { sees } from '../../contract/caller.ts'
import type { Caller } from '../../contract/caller.ts'
import { Problem, refusals } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { askedBy } from '../asked-by.ts'
import type { Needs } from '../needs.ts'

export interface AppCall {
  readonly params: { readonly app: string }
  readonly caller: Caller
  readonly requestId: string
  readonly ifMatch?: string
}

/** Throws 404 also for a service that a project token may not see. */
export async function appOf({ records }: Needs, { params, caller }: Pick<AppCall, 'params' | 'caller'>): Promise<App> {
  const app = await records.apps.read(params.app)
  if (app === undefined || !sees(caller, app.spec.project, app.spec.environment)) throw new Problem('not_found', refusals.appNotFound)
  return app
}

/** Wakes the service's workflow in the background. */
export function hintApp({ hints }: Needs, name: string, reason: string, call: Pick<AppCall, 'caller' | 'requestId'>): void {
  hints.hint('app', name, { reason, ...askedBy(call) })
}
