/**
 * The activities of a service, bound to their clients and caches. The names on the left are on Temporal's wire and in
 * histories, so they stay; the code uses the names on the right, also in `workflows/calls.ts`.
 */
import type { Plan } from '../../kinds/apps/deploy/plan.ts'
import { planNow } from '../../kinds/apps/view.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { deployExternalEdit, recordExternalEdit } from './external-edit.ts'
import { markFailed } from './mark-failed.ts'
import { lookAtService } from './look.ts'
import { prepare, prepareInTask, start } from './prepare.ts'
import { autoRollback } from './auto-rollback.ts'
import { tearDown } from './tear-down.ts'

export const createAppActivities = (needs: ActivityNeeds) => ({
  readServicePlan: async ({ name }: { name: string }): Promise<Plan> => planNow(name, await needs.apps.readLive(name)),
  adoptEdit: deployExternalEdit(needs),
  noteEdit: recordExternalEdit(needs),
  putBackRelease: autoRollback(needs),
  startService: start(needs),
  prepareService: prepare(needs),
  prepareServiceInTask: prepareInTask(needs),
  lookAtService: lookAtService(needs),
  giveUpService: markFailed(needs),
  tearDownService: tearDown(needs),
})
