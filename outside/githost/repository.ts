/** Reads of one repository for a build: the commit of a branch, and the checks of a commit. */
import { z } from 'zod'
import { commitHash } from '../../contract/fields/patterns.ts'
import { type Check, ownContext } from '../../kinds/builds/checks.ts'
import { UpstreamError } from '../upstream-error.ts'
import type { Client } from './octokit.ts'

const perPage = 100
/** Checks beyond so many pages are not read. */
const pagesMax = 5

const commits = z.array(z.object({ sha: z.string().regex(commitHash) }))
const runs = z.object({
  check_runs: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullish(),
      html_url: z.string().nullish(),
    }),
  ),
})
const filesMax = 300
const comparison = z.object({
  files: z.array(z.object({ filename: z.string(), previous_filename: z.string().optional() })).optional(),
})
const statuses = z.object({
  statuses: z.array(z.object({ context: z.string(), state: z.string(), target_url: z.string().nullish() })),
})

/** `owner` and `repo`, as GitHub's paths need them. */
export function ownerAndName(repository: string): { owner: string; repo: string } {
  const [owner = '', repo = ''] = repository.split('/')
  return { owner, repo }
}

/** @param ref a branch or a commit; '' for the default branch */
export async function readCommit(client: Client, repository: string, ref: string): Promise<string> {
  const { data } = await client.request('GET /repos/{owner}/{repo}/commits', {
    ...ownerAndName(repository),
    per_page: 1,
    ...(ref === '' ? {} : { sha: ref }),
  })
  const [head] = commits.parse(data)
  if (head === undefined) throw new UpstreamError(404, '', 'the branch has no commit', false)
  return head.sha
}

/** Undefined where a comparison has more files than GitHub lists. */
export async function readChanged(
  client: Client,
  repository: string,
  from: string,
  to: string,
): Promise<string[] | undefined> {
  const { data } = await client.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
    ...ownerAndName(repository),
    basehead: `${from}...${to}`,
    per_page: 1,
  })
  const { files = [] } = comparison.parse(data)
  return files.length >= filesMax ? undefined : files.flatMap((file) => [file.filename, file.previous_filename ?? ''])
}

/** The newest run of each check and the newest status of each context, by name, without those of svc itself. */
export async function readChecks(client: Client, repository: string, commit: string): Promise<Check[]> {
  const place = { ...ownerAndName(repository), ref: commit, per_page: perPage }
  const ofRuns = await pages(async (page) => {
    const wanted = { ...place, page, filter: 'latest' as const }
    const { data } = await client.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', wanted)
    return runs
      .parse(data)
      .check_runs.map(({ name, status, conclusion, html_url: url }) =>
        checkOf(name, status === 'completed' ? (conclusion ?? status) : status, url),
      )
  })
  const ofStatuses = await pages(async (page) => {
    const { data } = await client.request('GET /repos/{owner}/{repo}/commits/{ref}/status', { ...place, page })
    return statuses.parse(data).statuses.map((each) => checkOf(each.context, each.state, each.target_url))
  })
  return [...ofRuns, ...ofStatuses.filter(({ name }) => !name.startsWith(ownContext))].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}

async function pages<Item>(read: (page: number) => Promise<readonly Item[]>): Promise<Item[]> {
  const all: Item[] = []
  for (let page = 1; page <= pagesMax; page += 1) {
    const items = await read(page)
    all.push(...items)
    if (items.length < perPage) break
  }
  return all
}

/** A check in the form of a build's status. */
const checkOf = (name: string, state: string, url: string | null | undefined): Check => ({
  name: name.slice(0, 255),
  state: state.slice(0, 63),
  ...(url === null || url === undefined || url.length > 2048 ? {} : { url }),
})
