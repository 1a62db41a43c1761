/**
 * Edits by kubectl (docs/reference/deployments.md#edits-by-kubectl): the edit of a service without pending changes is
 * deployed; any other edit joins the pending changes.
 */
import { Problem, refuse } from '../../contract/problem.ts'
import { withSpec } from '../../kinds/apps/spec/draft.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { type Plan, restingPlan } from '../../kinds/apps/deploy/plan.ts'
import { asksForDeployByEdit, joinsPending, planNow, viewOf } from '../../kinds/apps/view.ts'
import { recordName } from '../../kinds/apps/names.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { acceptDeploy, type Wanted } from '../../records/apps/accept-deploy.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeAppStatus } from '../kube/write-status.ts'
import type { ServiceRef } from './messages.ts'
import { planAfter } from './plan-after.ts'

/** Turns the edit into a deploy: attempt and last-deployed in one conditional write. */
export const deployExternalEdit =
  (needs: ActivityNeeds) =>
  (input: ServiceRef): Promise<Plan> =>
    planAfter(needs, input, async (app) => {
      const view = viewOf(app)
      if (!asksForDeployByEdit(view)) return view.plan
      const { intent } = view
      // The conditional write may find a newer version of the record, whose edit another deploy has applied already.
      let isAsked = true
      const change = (current: App): Wanted => {
        isAsked = asksForDeployByEdit(viewOf(current))
        if (!isAsked) throw refuse('the edit is deployed already')
        return { spec: current.spec, deployed: current.spec, pending: [] }
      }
      try {
        const record = recordName(input.name, digest([input.uid, app.metadata.generation, intent]).slice(0, 5))
        const accepted = await acceptDeploy(needs, app, {
          operation: 'kubectl',
          actor: 'kubectl',
          requestId: '',
          title: 'Edited with kubectl',
          record,
          change,
        })
        await recordEvent(
          needs.client,
          accepted,
          {
            type: 'Normal',
            reason: 'DeployAccepted',
            message: `the edit is deployed as ${record}`,
            occurrence: record,
          },
          needs.now(),
        )
        return viewOf(accepted).plan
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        if (!isAsked) return planNow(input.name, await needs.apps.readLive(input.name))
        // The deploy is refused: the condition has the reason, and the record rests until its next edit.
        const refused = await writeAppStatus(
          needs,
          app,
          { ready: false, reason: 'Refused', message: error.message },
          { observedIntent: intent, acceptedIntent: intent },
        )
        return viewOf(refused).plan
      }
    })

/** Adds the edit to the pending changes of a deployed service, and records an Event. */
export const recordExternalEdit =
  (needs: ActivityNeeds) =>
  (input: ServiceRef): Promise<Plan> =>
    planAfter(needs, input, async () => {
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
    })
