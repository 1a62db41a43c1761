/** What the workflow and the activity of a delivery exchange: no address and no secret, since the history keeps it. */
import type { Policy } from '../../durable/policy.ts'
import type { Notice } from '../../kinds/projects/notice.ts'

export interface DeliverInput {
  /** ID of the webhook; its address and secret are read when the event is sent. */
  webhook: string
  notice: Notice
}

/** The one argument of the delivery workflow. */
export interface DeliveryInput extends DeliverInput {
  policy: Policy
  /** False if the install may not register search attributes. */
  searchable: boolean
}

export type Delivered =
  | { outcome: 'delivered'; message: string }
  /** The webhook was deleted or disabled, or no longer subscribes to this event. */
  | { outcome: 'withdrawn'; message: string }
