/** Which of a project's variables an environment has (docs/reference/variables.md#shared-variables). */
import type { ProjectSpec } from './kind.ts'
import { pullRequestIn } from './pull-requests.ts'

/**
 * In the order in which a later one of the same name wins: those of every environment, in the environment of a pull
 * request those of the one that it is a copy of, and its own. For commits of a fork none that is secret.
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
