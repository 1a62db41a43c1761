/** Pull requests at GitHub, as the app of this install (docs/reference/projects.md#pull-request-environments). */
import { z } from 'zod'
import { commitHash } from '../../contract/fields/patterns.ts'
import type { GitHostApp } from '../../kinds/platform/settings.ts'
import type { PullRequest } from '../../kinds/projects/pull-requests.ts'
import { UpstreamError } from '../upstream-error.ts'
import { answered } from './githost.ts'
import type { GitHostSettings } from './addresses.ts'
import { installedClients } from './installed-clients.ts'
import type { Client } from './octokit.ts'
import { ownerAndName } from './repository.ts'

/** A pull request of a repository, `owner/name`, read by an installation of the app. */
export interface PullRequestAt {
  readonly installation: number
  readonly repository: string
  readonly number: number
}

/** Every call throws UpstreamError, whose text has no credentials. */
export interface PullRequestHost {
  /** Undefined where the pull request does not exist, or the app may no longer see it. */
  read(app: GitHostApp, at: PullRequestAt): Promise<PullRequest | undefined>
  /** The open pull requests of a repository by number, at most `listedMax`. */
  open(app: GitHostApp, at: Omit<PullRequestAt, 'number'>): Promise<ReadonlyMap<number, PullRequest>>
  /**
   * Writes the one comment of the app with this mark: edits an existing one whose text differs. With `isNew` false, no
   * comment is created. Does nothing for a pull request that the app may no longer see.
   */
  writeComment(
    app: GitHostApp,
    at: PullRequestAt,
    comment: { mark: string; text: string; isNew: boolean },
  ): Promise<void>
}

const perPage = 100
/** Newest first: older ones have not changed for long. */
export const listedMax = 300
/** The most comments that are read: the app comments early, and the oldest come first. */
const commentsMax = 1000

const pull = z
  .object({
    number: z.int(),
    state: z.string(),
    head: z.object({
      sha: z.string().regex(commitHash),
      repo: z.object({ full_name: z.string() }).nullable(),
    }),
    base: z.object({ repo: z.object({ full_name: z.string() }) }),
  })
  .transform(({ number, state, head, base }) => ({
    number,
    isOpen: state === 'open',
    commit: head.sha,
    // A pull request of a deleted fork has no head repository.
    isFork: head.repo?.full_name.toLowerCase() !== base.repo.full_name.toLowerCase(),
  }))
const comments = z.array(
  z.object({ id: z.number(), body: z.string().nullish(), user: z.object({ login: z.string() }).nullable() }),
)

export function createPullRequestHost(settings: GitHostSettings): PullRequestHost {
  const installed = installedClients(settings)

  /** The comment of the app with this mark. Any user may write the mark, so the author is checked. */
  async function findComment(client: Client, app: GitHostApp, at: PullRequestAt, mark: string) {
    let left = commentsMax / perPage
    const where = { ...ownerAndName(at.repository), issue_number: at.number, per_page: perPage }
    const isOurs = (comment: z.output<typeof comments>[number]): boolean =>
      comment.user?.login === `${app.slug}[bot]` && comment.body?.includes(mark) === true
    const found = await client.paginate(
      'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      where,
      ({ data }, done) => {
        left -= 1
        const own = comments.parse(data).filter(isOurs)
        if (left === 0 || own.length > 0) done()
        return own
      },
    )
    return found[0]
  }

  return {
    read: (app, at) =>
      answered([], async () => {
        const client = await installed(app, at.installation)
        const where = { ...ownerAndName(at.repository), pull_number: at.number }
        const { data } = await client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', where)
        return pull.parse(data)
      }).catch(noneWhereGone),
    open: (app, { installation, repository }) =>
      answered([], async () => {
        const client = await installed(app, installation)
        let left = listedMax / perPage
        const wanted = { ...ownerAndName(repository), state: 'open' as const, per_page: perPage }
        const found = await client.paginate('GET /repos/{owner}/{repo}/pulls', wanted, ({ data }, done) => {
          left -= 1
          if (left === 0) done()
          return z.array(pull).parse(data)
        })
        return new Map(found.map((each) => [each.number, each]))
      }),
    writeComment: (app, at, { mark, text, isNew }) =>
      answered([], async () => {
        const client = await installed(app, at.installation)
        const body = `${mark}\n${text}`
        const known = await findComment(client, app, at, mark)
        const where = ownerAndName(at.repository)
        if (known === undefined) {
          if (!isNew) return
          await client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
            ...where,
            issue_number: at.number,
            body,
          })
        } else if (known.body?.replaceAll('\r\n', '\n').trim() !== body.trim())
          await client.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
            ...where,
            comment_id: known.id,
            body,
          })
      }).catch(noneWhereGone),
  }
}

function noneWhereGone(error: unknown): undefined {
  if (!(error instanceof UpstreamError) || ![404, 410].includes(error.status)) throw error
}
