/** What the workflows and the activities of pushes and reports exchange: names only, since the history keeps it. */
import type { Policy } from '../../durable/policy.ts'
import type { GitPushInput } from '../../kinds/apps/git/git-delivery.ts'
import type { PushInput } from '../../kinds/apps/git/push.ts'
import type { ReportRef } from '../../kinds/builds/report.ts'

/** The one argument of the workflow of a push. */
export interface PushedInput extends PushInput {
  policy: Policy
  /** False where the install may not register search attributes. */
  searchable: boolean
}

/** The one argument of the workflow of a push to the repository of one service. */
export interface GitPushedInput extends GitPushInput {
  policy: Policy
  /** False where the install may not register search attributes. */
  searchable: boolean
}

/** The one argument of the workflow that reports a deploy to the git host. */
export interface ReportedInput {
  report: ReportRef
  policy: Policy
  /** False where the install may not register search attributes. */
  searchable: boolean
}

export interface Reported {
  /** `withdrawn`: the environment is not connected any more. `refused`: the git host refuses the report. */
  outcome: 'reported' | 'withdrawn' | 'refused'
  message: string
}

export interface Pushed {
  /** Names of the services that the push deployed. */
  deployed: string[]
  /** Services that the push is for and that could not be deployed, each with the reason. */
  refused: string[]
}

/** The result of a push to the repository of one service. */
export interface GitPushed {
  outcome: 'deployed' | 'ignored' | 'refused'
  /** A plain sentence for the run's log. */
  message: string
}

/** The result of a pass over the environment of a pull request. */
export interface PullRequestPassed {
  outcome: 'done' | 'waiting'
  /** A plain sentence for the run's log. */
  message: string
}
