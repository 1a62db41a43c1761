/**
 * A small HTTP server that stands in for GitHub: it checks the app's signed JWT and its own tokens, and answers the
 * calls that svc makes with the fields of GitHub's API.
 */
import { createVerify, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** The app that the manifest flow makes, and that tests save by hand. */
export const githubApp = {
  appId: '4711',
  clientId: 'Iv1.abc',
  clientSecret: 'client-secret-of-the-app',
  slug: 'svc-acme',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  webhookSecret: 'webhook-secret-of-the-app',
} as const

export interface GitHubServer {
  readonly url: string
  /** Codes that were not used yet: a manifest's, or a person's with the installations they manage. */
  readonly manifestCodes: Set<string>
  readonly personCodes: Map<string, readonly { id: number; account: string }[]>
  /** Full names by installation. */
  readonly repositories: Map<number, readonly string[]>
  /** Tokens that were handed out. */
  readonly tokens: Set<string>
  /** Answers every call with this status until it is unset. */
  refuseWith: number | undefined
  stop(): Promise<void>
}

type Said = readonly [status: number, body: unknown]

export async function startGitHub(): Promise<GitHubServer> {
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
      if (!state.repositories.has(Number(installation))) return [404, { message: 'Not Found' }]
      const token = remember(installationTokens, 'ghs_', Number(installation))
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
    return [404, { message: 'Not Found' }]
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
    tokens: new Set(),
    refuseWith: undefined,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return state
}

/** GitHub's clients find the next page by this header. */
function linkOf(url: URL, said: unknown): Record<string, string> {
  const { total_count: total = 0 } = said as { total_count?: number }
  const number = Number(url.searchParams.get('page') ?? 1)
  if (number * Number(url.searchParams.get('per_page') ?? 30) >= total) return {}
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
