/** What the workflow and the activities of a project exchange. */
import type { ProjectPlan } from '../../kinds/projects/intent.ts'

export interface ProjectPassInput {
  name: string
  uid: string
}

export interface ProjectPass {
  outcome: 'done' | 'waiting' | 'failing'
  plan: ProjectPlan
  message: string
}
