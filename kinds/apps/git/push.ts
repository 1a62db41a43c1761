/** A push as the git host reports it (docs/reference/githost.md#pushes). */
import { pushedCommitsMax, pushedPathsMax } from '../../../contract/process-limits.ts'
import { z } from 'zod'
import { commitHash } from '../../../contract/fields/patterns.ts'
import { repositoryNameMax } from '../../../contract/limits.ts'
import { gitNameMax } from '../../meta/bounds.ts'
import { digest } from '../../meta/digest.ts'
import { recordName } from '../names.ts'

/**
 * A push, as an activity gets it: it enters the history of a workflow, so it has names only, and a bounded number of
 * them.
 */
export interface Push {
  /** `owner/name` */
  repository: string
  branch: string
  isDefaultBranch: boolean
  commit: string
  installation: number
  /** Paths that changed; undefined where the git host did not list all of them. */
  changed?: string[] | undefined
}

/** A push with the ID that the git host gave its delivery. */
export interface PushInput {
  delivery: string
  push: Push
}

/** The request ID of a deploy that no delivery asked for: of a commit whose delivery was missed. */
export const missedPushId = (commit: string): string => `missed-${commit}`

/**
 * Name of the deployment record for a delivery and a service: the same for every try, so that a repeated delivery
 * deploys once.
 */
export function deliveryRecord({ name, uid }: { name: string; uid?: string | undefined }, delivery: string): string {
  const number = Number.parseInt(digest([uid, delivery]).slice(0, 12), 16) % 36 ** 5
  return recordName(name, number.toString(36).padStart(5, '0'))
}

const names = z.array(z.string()).default([])
const payload = z.object({
  ref: z.string(),
  after: z.string().regex(commitHash),
  deleted: z.boolean().default(false),
  forced: z.boolean().default(false),
  repository: z.object({ full_name: z.string().max(repositoryNameMax), default_branch: z.string().max(gitNameMax) }),
  installation: z.object({ id: z.int() }).optional(),
  commits: z.array(z.object({ added: names, modified: names, removed: names })).default([]),
})

const heads = 'refs/heads/'

/**
 * Undefined for a delivery that deploys nothing: a tag, a deleted branch, a body of another shape, or one without an
 * installation.
 */
export function readPush(body: unknown): Push | undefined {
  const found = payload.safeParse(body)
  if (!found.success) return undefined
  const { ref, after, deleted, forced, repository, installation, commits } = found.data
  if (deleted || installation === undefined || !ref.startsWith(heads)) return undefined
  const branch = ref.slice(heads.length)
  const changed = new Set(commits.flatMap(({ added, modified, removed }) => [...added, ...modified, ...removed]))
  // After a forced push the listed commits are not all that differs.
  const isWhole = !forced && commits.length > 0 && commits.length < pushedCommitsMax && changed.size <= pushedPathsMax
  return {
    repository: repository.full_name,
    branch,
    isDefaultBranch: branch === repository.default_branch,
    commit: after,
    installation: installation.id,
    ...(isWhole ? { changed: [...changed] } : {}),
  }
}
