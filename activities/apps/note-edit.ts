/**
 * Adds an edit by kubectl to the pending changes of a deployed service, and says so
 * (docs/reference/deployments.md#edits-by-kubectl).
 */

import { withSpec } from '../../kinds/apps/draft.ts'
import { viewOf, joinsPending, type Plan, planNow, restingPlan } from '../../kinds/apps/view.ts'
import { onFreshRecord } from '../context/fresh-record.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { ServiceRef } from './messages.ts'

export const noteEdit =
  (needs: ActivityNeeds) =>
  (input: ServiceRef): Promise<Plan> =>
    onFreshRecord(
      needs.apps,
      input.name,
      input.uid,
      async () => {
        const noted = await needs.apps.edit(input.name, (current) =>
          current.metadata.uid === input.uid && joinsPending(viewOf(current))
            ? withSpec(current, current.spec)
            : undefined,
        )
        if (noted === undefined) return restingPlan(input.name)
        const message = 'the edit joins the changes that are pending; deploy the service to apply them'
        await recordEvent(
          needs.client,
          noted,
          { type: 'Normal', reason: 'EditPending', message, occurrence: String(noted.metadata.generation ?? 0) },
          needs.now(),
        )
        return viewOf(noted).plan
      },
      (other) => planNow(input.name, other),
    )
