/**
 * A push as Gitea, Forgejo and GitLab report it by a plain webhook (docs/reference/githost.md#other-git-servers).
 * The repository in the body is not read: the address of the delivery names the service.
 */
import { z } from 'zod'
import { defined } from '../../contract/defined.ts'

/** Enters a history: names only, and not more than a bounded number of them. */
export interface GitPush {
  branch: string
  isDefaultBranch: boolean
  /** What the sender calls the head; never what is built. */
  commit: string
  /** Paths that changed; undefined where the body does not list all of them. */
  changed?: string[] | undefined
}

/** A push to the repository of one service, with the ID that the git server gave its delivery. */
export interface GitPushInput {
  delivery: string
  app: string
  /** Of the service that the delivery was signed for: a later one of its name is another. */
  uid: string
  push: GitPush
}

/** Beyond these the list is taken for incomplete, and every pattern matches. */
const changedMax = 1000
const none = /^0+$/

const names = z.array(z.string()).nullish()
const home = z.object({ default_branch: z.string().max(255).nullish() }).nullish()
const payload = z.object({
  ref: z.string().max(1000),
  before: z.string().max(64).default(''),
  after: z.string().regex(/^[0-9a-f]{40,64}$/),
  commits: z.array(z.object({ added: names, modified: names, removed: names })).nullish(),
  /** Gitea since 1.18; it lists the newest five unless it is set otherwise. */
  total_commits: z.int().nullish(),
  /** GitLab, which lists the newest twenty. */
  total_commits_count: z.int().nullish(),
  /** Gitea says the default branch here, GitLab in `project`. */
  repository: home,
  project: home,
})

type Payload = z.output<typeof payload>

const heads = 'refs/heads/'

/** Undefined for what deploys nothing: a tag, a deleted branch, or a body of another shape. */
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

/** A new branch has no earlier commit to differ from; a server that does not count its commits may leave some out. */
function changedPaths({ before, commits, total_commits, total_commits_count }: Payload): string[] | undefined {
  const listed = commits ?? []
  if (listed.length === 0 || listed.length !== (total_commits ?? total_commits_count)) return undefined
  if (before === '' || none.test(before)) return undefined
  const paths = new Set<string>()
  for (const { added, modified, removed } of listed) {
    if (!added || !modified || !removed) return undefined
    for (const path of [...added, ...modified, ...removed]) paths.add(path)
  }
  return paths.size > changedMax ? undefined : [...paths]
}
