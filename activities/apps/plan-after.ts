/** A pass over the record of a service as it stands, which comes to what the record asks for next. */
import type { App } from '../../kinds/apps/kind.ts'
import { type Plan, planNow } from '../../kinds/apps/view.ts'
import { onFreshRecord } from '../context/fresh-record.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { ServiceRef } from './messages.ts'

/** Resolves with the plan of `pass`; of a record that is gone, or another one of its name, with the plan of that. */
export const planAfter = (
  { apps }: Pick<ActivityNeeds, 'apps'>,
  { name, uid }: ServiceRef,
  pass: (app: App) => Promise<Plan>,
): Promise<Plan> => onFreshRecord(apps, name, uid, pass, (other) => planNow(name, other))
