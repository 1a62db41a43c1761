/**
 * A small HTTP server that stands in for GitHub: it checks the app's signed JWT and its own tokens, and answers the
 * calls that svc makes with the fields of GitHub's API.
 */
import { createVerify, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { answerOf, type Contents, emptyContents, type Said } from './github-repository.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** A pull request, as the git host has it. */
export interface GitHubPull {
  state: 'open' | 'closed'
  commit: string
  /** `owner/name` that the commits come from; null for a fork that was deleted. */
  from: string | null
}

export interface GitHubComment {
  readonly id: number
  readonly login: string
  body: string
}

/** The app that the manifest flow makes, and that tests save by hand. */
export const githubApp = {
  appId: '4711',
  clientId: 'Iv1.abc',
  clientSecret: 'client-secret-of-the-app',
  slug: 'svc-acme',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  webhookSecret: 'webhook-secret-of-the-app',
} as const

export interface Grant {
  readonly installation: number
  /** Undefined for all of the installation. */
  readonly repositories: readonly string[] | undefined
  readonly permissions: Readonly<Record<string, string>> | undefined
}

export interface GitHubServer {
  readonly url: string
  /** Codes that were not used yet: a manifest's, or a person's with the installations they manage. */
  readonly manifestCodes: Set<string>
  readonly personCodes: Map<string, readonly { id: number; account: string }[]>
  /** Full names by installation. */
  readonly repositories: Map<number, readonly string[]>
  /** Pull requests by `owner/name#number`, and what was said on each. */
  readonly pulls: Map<string, GitHubPull>
  readonly comments: Map<string, GitHubComment[]>
  /** Tokens that were handed out. */
  readonly tokens: Set<string>
  /** What the app may do with a token of an installation: the repositories, by their names alone, and its rights. */
  readonly grants: Map<string, Grant>
  /** What the repositories hold that an installation was given. */
  readonly contents: Contents
  /** Every call, as `METHOD /path`. */
  readonly calls: string[]
  /** Answers every call with this status until it is unset. */
  refuseWith: number | undefined
  stop(): Promise<void>
}

export async function startGitHub(): Promise<GitHubServer> {
  let lastComment = 0
  const installationTokens = new Map<string, number>()
  const personTokens = new Map<string, readonly { id: number; account: string }[]>()
  const page = (all: readonly unknown[], { searchParams }: URL): readonly unknown[] => {
    const size = Number(searchParams.get('per_page') ?? 30)
    const number = Number(searchParams.get('page') ?? 1)
    return all.slice((number - 1) * size, number * size)
  }

  const answer = (method: string, url: URL, bearer: string, body: string): Said => {
    const path = url.pathname
    const code = /^\/app-manifests\/([^/]+)\/conversions$/.exec(path)?.[1]
    if (method === 'POST' && code !== undefined)
      return state.manifestCodes.delete(code)
        ? [
            201,
            {
              id: Number(githubApp.appId),
              client_id: githubApp.clientId,
              client_secret: githubApp.clientSecret,
              slug: githubApp.slug,
              pem: githubApp.privateKey,
              webhook_secret: githubApp.webhookSecret,
            },
          ]
        : [404, { message: 'Not Found' }]
    if (method === 'POST' && path === '/login/oauth/access_token') return exchange(body)
    if (method === 'GET' && path === '/user/installations') {
      const own = personTokens.get(bearer)
      if (own === undefined) return [401, { message: 'Bad credentials' }]
      const found = own.map(({ id, account }) => ({ id, account: { login: account } }))
      return [200, { total_count: found.length, installations: page(found, url) }]
    }
    const installation = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path)?.[1]
    if (method === 'POST' && installation !== undefined) {
      if (!isSignedByApp(bearer)) return [401, { message: 'A JSON web token could not be decoded' }]
      const given = state.repositories.get(Number(installation))
      if (given === undefined) return [404, { message: 'Not Found' }]
      const { repositories, permissions } = JSON.parse(body === '' ? '{}' : body) as Partial<Grant>
      if (repositories?.some((name) => !given.some((full) => full.endsWith(`/${name}`))) === true)
        return [422, { message: 'There is at least one repository that does not exist or is not accessible' }]
      const token = remember(installationTokens, 'ghs_', Number(installation))
      state.grants.set(token, { installation: Number(installation), repositories, permissions })
      return [201, { token, expires_at: new Date(Date.now() + 3_600_000).toISOString(), permissions: {} }]
    }
    if (method === 'GET' && path === '/installation/repositories') {
      const all = state.repositories.get(installationTokens.get(bearer) ?? 0)
      if (all === undefined) return [401, { message: 'Bad credentials' }]
      const found = all.map((name) => ({
        full_name: name,
        default_branch: 'main',
        private: true,
        html_url: `https://github.test/${name}`,
      }))
      return [200, { total_count: found.length, repositories: page(found, url) }]
    }
    return ofRepository(method, url, bearer, body)
  }

  /** What an installation may read and write of its repositories. */
  function ofRepository(method: string, url: URL, bearer: string, body: string): Said {
    const [, repository = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)\/(.+)$/.exec(url.pathname) ?? []
    if (repository === '') return [404, { message: 'Not Found' }]
    const own = state.repositories.get(installationTokens.get(bearer) ?? 0)
    if (own === undefined) return [401, { message: 'Bad credentials' }]
    if (!own.some((name) => name.toLowerCase() === repository.toLowerCase())) return [404, { message: 'Not Found' }]
    const [what = '', number = '', part = ''] = rest.split('/')
    if (what !== 'pulls' && what !== 'issues')
      return answerOf(state.contents, { method, rest, query: url.searchParams, body })
    if (method === 'PATCH' && what === 'issues') {
      const known = [...state.comments.values()].flat().find(({ id }) => String(id) === part)
      if (known === undefined) return [404, { message: 'Not Found' }]
      known.body = (JSON.parse(body) as { body: string }).body
      return [200, commentOf(known)]
    }
    const key = `${repository}#${number}`
    const said = state.comments.get(key) ?? []
    if (what === 'issues' && part === 'comments') {
      if (method === 'GET') return [200, page(said.map(commentOf), url)]
      const id = (lastComment += 1)
      const made = { id, login: `${githubApp.slug}[bot]`, body: (JSON.parse(body) as { body: string }).body }
      state.comments.set(key, [...said, made])
      return [201, commentOf(made)]
    }
    const all = [...state.pulls].filter(([each]) => each.startsWith(`${repository}#`))
    if (what === 'pulls' && number === '')
      return [200, page(all.filter(([, { state: its }]) => its === 'open').map(pullOf), url)]
    const pull = state.pulls.get(key)
    return what !== 'pulls' || pull === undefined ? [404, { message: 'Not Found' }] : [200, pullOf([key, pull])]
  }

  function exchange(body: string): Said {
    const { client_id: id, client_secret: secret, code = '' } = JSON.parse(body) as Record<string, string>
    const own = state.personCodes.get(code)
    state.personCodes.delete(code)
    if (own === undefined || id !== githubApp.clientId || secret !== githubApp.clientSecret)
      return [200, { error: 'bad_verification_code' }] // with 200, as GitHub does
    return [200, { access_token: remember(personTokens, 'ghu_', own), token_type: 'bearer', scope: '' }]
  }

  function remember<Value>(known: Map<string, Value>, prefix: string, value: Value): string {
    const token = `${prefix}${randomBytes(18).toString('hex')}`
    known.set(token, value)
    state.tokens.add(token)
    return token
  }

  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://github.test')
      state.calls.push(`${request.method ?? ''} ${url.pathname}`)
      const [status, said] =
        state.refuseWith === undefined
          ? answer(request.method ?? '', url, bearerOf(request), body)
          : ([state.refuseWith, { message: 'no' }] as const)
      const link = linkOf(url, said)
      response.writeHead(status, { 'content-type': 'application/json', ...link }).end(JSON.stringify(said))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const state: GitHubServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    manifestCodes: new Set(),
    personCodes: new Map(),
    repositories: new Map(),
    pulls: new Map(),
    comments: new Map(),
    tokens: new Set(),
    grants: new Map(),
    contents: emptyContents(),
    calls: [],
    refuseWith: undefined,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return state
}

function pullOf([key, { state, commit, from }]: readonly [string, GitHubPull]): object {
  const [repository = '', number = ''] = key.split('#')
  return {
    number: Number(number),
    state,
    head: { sha: commit, repo: from === null ? null : { full_name: from } },
    base: { repo: { full_name: repository } },
  }
}

const commentOf = ({ id, login, body }: GitHubComment): object => ({ id, body, user: { login } })

/** GitHub's clients find the next page by this header. */
function linkOf(url: URL, said: unknown): Record<string, string> {
  const number = Number(url.searchParams.get('page') ?? 1)
  const size = Number(url.searchParams.get('per_page') ?? 30)
  const { total_count: total = 0 } = said as { total_count?: number }
  if (Array.isArray(said) ? said.length < size : number * size >= total) return {}
  const next = new URL(url)
  next.searchParams.set('page', String(number + 1))
  return { link: `<${next.pathname}${next.search}>; rel="next"` }
}

const bearerOf = ({ headers }: IncomingMessage): string =>
  (headers.authorization ?? '').replace(/^(bearer|token) /i, '')

/** RS256, issued by the app, and valid now. */
function isSignedByApp(jwt: string): boolean {
  const [head = '', body = '', signature = ''] = jwt.split('.')
  const isGenuine = createVerify('RSA-SHA256').update(`${head}.${body}`).verify(publicKey, signature, 'base64url')
  if (!isGenuine) return false
  const { iss, exp } = JSON.parse(Buffer.from(body, 'base64url').toString()) as { iss: unknown; exp: number }
  return String(iss) === githubApp.appId && exp * 1000 > Date.now()
}
