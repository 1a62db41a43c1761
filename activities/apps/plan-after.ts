/** Runs a pass over the live record of a service and resolves with the plan that the record asks for next. */
import type { App } from '../../kinds/apps/kind.ts'
import type { Plan } from '../../kinds/apps/deploy/plan.ts'
import { planNow } from '../../kinds/apps/view.ts'
import { onFreshRecord } from '../../records/store/retry.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { ServiceRef } from './messages.ts'

/** Resolves with the plan of `pass`; if the record is gone or another one has its name, with the plan of that. */
export const planAfter = (
  { apps }: Pick<ActivityNeeds, 'apps'>,
  { name, uid }: ServiceRef,
  pass: (app: App) => Promise<Plan>,
): Promise<Plan> => onFreshRecord(apps, name, uid, pass, (other) => planNow(name, other))
