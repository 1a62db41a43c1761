/**
 * A push as Gitea, Forgejo and GitLab report it by a plain webhook (docs/reference/githost.md#other-git-servers).
 * The repository in the body is not read: the address of the delivery names the service.
 */
import { pushedPathsMax } from '../../../contract/process-limits.ts'
import { z } from 'zod'
import { commitHash } from '../../../contract/fields/patterns.ts'
import { defined } from '../../../contract/defined.ts'
import { gitNameMax } from '../../meta/bounds.ts'

/**
 * A push, as an activity gets it: it enters the history of a workflow, so it has names only, and a bounded number of
 * them.
 */
export interface GitPush {
  branch: string
  isDefaultBranch: boolean
  /** The head of the branch by the word of the sender; svc never builds this commit. */
  commit: string
  /** Paths that changed; undefined where the body does not list all of them. */
  changed?: string[] | undefined
}

/** A push to the repository of one service, with the ID that the git server gave its delivery. */
export interface GitPushInput {
  delivery: string
  app: string
  /** Uid of the service that the delivery was signed for: a later service of the same name is another one. */
  uid: string
  push: GitPush
}

const none = /^0+$/

const names = z.array(z.string()).nullish()
const home = z.object({ default_branch: z.string().max(gitNameMax).nullish() }).nullish()
const payload = z.object({
  ref: z.string().max(1000),
  before: z.string().max(64).default(''),
  after: z.string().regex(commitHash),
  commits: z.array(z.object({ added: names, modified: names, removed: names })).nullish(),
  /** How many commits Gitea pushed, since 1.18; `commits` has the newest five unless the server is set otherwise. */
  total_commits: z.int().nullish(),
  /** How many commits GitLab pushed; `commits` has the newest twenty. */
  total_commits_count: z.int().nullish(),
  /** Gitea has the default branch in `repository`, GitLab in `project`. */
  repository: home,
  project: home,
})

type Payload = z.output<typeof payload>

const heads = 'refs/heads/'

/** Undefined for a delivery that deploys nothing: a tag, a deleted branch, or a body of another shape. */
export function readGitPush(body: unknown): GitPush | undefined {
  const found = payload.safeParse(body)
  if (!found.success) return undefined
  const { ref, after, repository, project } = found.data
  if (!ref.startsWith(heads) || none.test(after)) return undefined
  const branch = ref.slice(heads.length)
  const changed = changedPaths(found.data)
  return {
    branch,
    isDefaultBranch: branch === (repository?.default_branch ?? project?.default_branch),
    commit: after,
    ...defined({ changed }),
  }
}

/**
 * The changed paths, or undefined where the body may not list all of them: a new branch has no earlier commit to differ
 * from, and a server that does not count its commits may leave some out.
 */
function changedPaths({ before, commits, total_commits, total_commits_count }: Payload): string[] | undefined {
  const listed = commits ?? []
  if (listed.length === 0 || listed.length !== (total_commits ?? total_commits_count)) return undefined
  if (before === '' || none.test(before)) return undefined
  const paths = new Set<string>()
  for (const { added, modified, removed } of listed) {
    if (!added || !modified || !removed) return undefined
    for (const path of [...added, ...modified, ...removed]) paths.add(path)
  }
  return paths.size > pushedPathsMax ? undefined : [...paths]
}
