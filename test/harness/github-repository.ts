/** The part of the stand-in for GitHub that is about one repository, with the fields of GitHub's API. */

export type Said = readonly [status: number, body: unknown]

export interface CheckRun {
  name: string
  status: string
  conclusion: string | null
  html_url?: string
}

export interface CommitStatus {
  context: string
  state: string
  description?: string
  target_url?: string
}

export interface HostDeployment {
  id: number
  sha: string
  environment: string
  payload: { svc?: string }
  production_environment: boolean
  /** Newest first. */
  statuses: { state: string; description?: string; environment_url?: string; log_url?: string }[]
}

/** The same for every repository: tests distinguish them by their commits. */
export interface Contents {
  /** Commits by branch; `main` is the default branch. */
  readonly heads: Map<string, string>
  /** The files of a commit. */
  readonly changed: Map<string, string[]>
  readonly checkRuns: Map<string, CheckRun[]>
  /** Newest first, as GitHub keeps them. */
  readonly statuses: Map<string, CommitStatus[]>
  readonly deployments: HostDeployment[]
}

export const emptyContents = (): Contents => ({
  heads: new Map(),
  changed: new Map(),
  checkRuns: new Map(),
  statuses: new Map(),
  deployments: [],
})

interface Asked {
  method: string
  /** The path after `/repos/<owner>/<name>/`. */
  rest: string
  query: URLSearchParams
  body: string
}

export function answerOf(contents: Contents, asked: Asked): Said {
  const { method, rest, query, body } = asked
  const { heads, changed, checkRuns, statuses } = contents
  if (method === 'GET' && rest === 'commits') {
    const ref = query.get('sha') ?? 'main'
    const sha = heads.get(ref) ?? [...heads.values()].find((commit) => commit === ref)
    return sha === undefined ? [404, { message: 'Not Found' }] : [200, [{ sha }]]
  }
  const [, from = '', to = ''] = /^compare\/([0-9a-f]{40})\.\.\.([0-9a-f]{40})$/.exec(decodeURIComponent(rest)) ?? []
  if (method === 'GET' && from !== '')
    return [200, { files: (changed.get(to) ?? []).map((filename) => ({ filename })) }]
  const [, commit = '', what] = /^commits\/([0-9a-f]{40})\/(check-runs|status)$/.exec(rest) ?? []
  if (method === 'GET' && what === 'check-runs') {
    const all = checkRuns.get(commit) ?? []
    return [200, { total_count: all.length, check_runs: pageOf(all, query) }]
  }
  if (method === 'GET' && what === 'status') {
    const all = statuses.get(commit) ?? []
    const newest = all.filter(({ context }, place) => all.findIndex((each) => each.context === context) === place)
    return [200, { sha: commit, total_count: newest.length, statuses: pageOf(newest, query), url: 'x' }]
  }
  const [, reportedCommit = ''] = /^statuses\/([0-9a-f]{40})$/.exec(rest) ?? []
  if (method === 'POST' && reportedCommit !== '') {
    const status = JSON.parse(body) as CommitStatus
    statuses.set(reportedCommit, [status, ...(statuses.get(reportedCommit) ?? [])])
    return [201, status]
  }
  return rest.startsWith('deployments') ? answerOfDeployments(contents, asked) : [404, { message: 'Not Found' }]
}

function answerOfDeployments({ deployments }: Contents, { method, rest, query, body }: Asked): Said {
  if (rest === 'deployments' && method === 'GET') {
    const isWanted = ({ sha, environment }: HostDeployment) =>
      sha === query.get('sha') && environment === query.get('environment')
    return [200, pageOf(deployments.filter(isWanted), query)]
  }
  if (rest === 'deployments') {
    const { ref: sha, ...given } = JSON.parse(body) as HostDeployment & { ref: string; required_contexts?: unknown[] }
    // GitHub refuses it while statuses of the commit are pending, unless it is asked to look at none.
    if (given.required_contexts?.length !== 0) return [409, { message: 'Conflict: Commit status checks failed' }]
    const deployment = { ...given, sha, id: deployments.length + 1, statuses: [] }
    deployments.unshift(deployment)
    return [201, deployment]
  }
  const id = Number(/^deployments\/(\d+)\/statuses$/.exec(rest)?.[1])
  const deployment = deployments.find((each) => each.id === id)
  if (deployment === undefined) return [404, { message: 'Not Found' }]
  if (method === 'GET') return [200, pageOf(deployment.statuses, query)]
  const status = JSON.parse(body) as HostDeployment['statuses'][number]
  deployment.statuses.unshift(status)
  return [201, status]
}

function pageOf<Item>(all: readonly Item[], query: URLSearchParams): readonly Item[] {
  const size = Number(query.get('per_page') ?? 30)
  const number = Number(query.get('page') ?? 1)
  return all.slice((number - 1) * size, number * size)
}
