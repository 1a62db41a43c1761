/** The side effects of a service's story, bound to what they work with. */

import type { ActivityNeeds } from '../needs.ts'
import { adopt } from './adopt.ts'
import { giveUp } from './give-up.ts'
import { look } from './look.ts'
import { noteEdit } from './note-edit.ts'
import { prepare } from './prepare.ts'
import { putBack } from './put-back.ts'
import { readPlan } from './read-plan.ts'
import { tearDown } from './tear-down.ts'

export const createAppActivities = (needs: ActivityNeeds) => ({
  readServicePlan: readPlan(needs),
  adoptEdit: adopt(needs),
  noteEdit: noteEdit(needs),
  putBackRelease: putBack(needs),
  prepareService: prepare(needs),
  lookAtService: look(needs),
  giveUpService: giveUp(needs),
  tearDownService: tearDown(needs),
})
