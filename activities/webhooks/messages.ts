/** What the workflow and the activity of a delivery exchange: no address and no secret, since it enters the history. */
import type { Policy } from '../../durable/policy.ts'
import type { Notice } from '../../kinds/projects/notice.ts'

export interface DeliverInput {
  /** ID of the webhook; its address and secret are read when it is sent. */
  webhook: string
  notice: Notice
}

/** The one argument of the delivery workflow. */
export interface DeliveryInput extends DeliverInput {
  policy: Policy
  /** False where the install may not register search attributes. */
  searchable: boolean
}

export type Delivered =
  | { outcome: 'delivered'; message: string }
  /** The webhook was deleted or disabled, or no longer wants this event. */
  | { outcome: 'withdrawn'; message: string }
