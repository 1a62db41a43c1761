/** What the workflow and the activity of a push exchange: names only, since it enters the history. */
import type { Policy } from '../../durable/policy.ts'
import type { PushInput } from '../../kinds/apps/push.ts'

/** The one argument of the workflow of a push. */
export interface PushedInput extends PushInput {
  policy: Policy
  /** False where the install may not register search attributes. */
  searchable: boolean
}

export interface Pushed {
  /** Services that are deployed by it. */
  deployed: string[]
  /** Services that it is for and that could not be deployed, each with the reason. */
  refused: string[]
}
