/** Which of a project's variables an environment has (docs/reference/variables.md#shared-variables). */
import type { ProjectSpec } from './kind.ts'
import { pullRequestIn } from './pull-requests.ts'

/**
 * In ascending precedence: those of every environment; in the environment of a pull request those of its base; and its
 * own. Without secret ones for commits of a fork.
 */
export function sharedIn(spec: ProjectSpec, environment: string): ProjectSpec['sharedVariables'] {
  const { base, fork = false } = pullRequestIn(spec, environment) ?? {}
  const order = ['', ...(base === undefined ? [] : [base]), environment]
  return order.flatMap((each) =>
    spec.sharedVariables.filter(
      (variable) => variable.environment === each && !(fork && variable.secretRef !== undefined),
    ),
  )
}
