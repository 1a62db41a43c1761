/** A pull request as a delivery of the git host names it (docs/reference/githost.md#pull-requests). */
import { z } from 'zod'
import { repositoryName } from '../../contract/fields/patterns.ts'
import { pullRequestNumberMax, repositoryNameMax } from '../../contract/limits.ts'
import type { ProjectSpec } from './kind.ts'
import { entryOf, installationOf, type PullRequestRef } from './pull-requests.ts'

const payload = z.object({
  number: z.int().min(1).max(pullRequestNumberMax),
  repository: z.object({
    full_name: z.string().max(repositoryNameMax).regex(repositoryName),
  }),
  installation: z.object({ id: z.int() }),
})

/** Which pull request a delivery is about; undefined for a body of another shape, or one without an installation. */
export function readPullRequest(
  body: unknown,
): { repository: string; number: number; installation: number } | undefined {
  const found = payload.safeParse(body)
  if (!found.success) return undefined
  const { number, repository, installation } = found.data
  return { repository: repository.full_name.toLowerCase(), number, installation: installation.id }
}

/**
 * Whether a project has to reconcile the pull request: it has an entry for it, or makes environments for pull requests
 * of this installation.
 */
export const isAbout = (spec: ProjectSpec, ref: PullRequestRef, installation: number): boolean =>
  entryOf(spec, ref) !== undefined ||
  (spec.pullRequestEnvironments.enabled && installationOf(spec, ref) === installation)
