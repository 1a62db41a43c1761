/** GitHub's API, as the app of this install (docs/reference/githost.md). No token that it returns is stored. */
import { z } from 'zod'
import { repositoriesMax } from '../../contract/limits.ts'
import type { Check } from '../../kinds/builds/checks.ts'
import type { Report, ReportRef } from '../../kinds/builds/report.ts'
import type { GitHostApp } from '../../kinds/platform/settings.ts'
import { shortly, UpstreamError, whyUnanswered } from '../upstream-error.ts'
import { installedClients } from './installed-clients.ts'
import type { Who } from './octokit.ts'
import { sendReport } from './reports.ts'
import { readChanged, readChecks, readCommit } from './repository.ts'
import type { GitHostSettings } from './addresses.ts'

export interface Repository {
  readonly fullName: string
  readonly defaultBranch: string
  readonly isPrivate: boolean
  readonly url: string
}

export interface Installation {
  readonly id: number
  /** The user or organization of the installation. */
  readonly account: string
}

/** Every call throws UpstreamError, whose text has no credentials. */
export interface GitHost {
  /** The address of the git host's pages, without a slash at the end. */
  readonly web: string
  /** The page that creates an app from a manifest, which a form posts there. */
  newAppUrl(state: string): string
  /** The page on which a person installs the app. */
  installUrl(app: GitHostApp, state: string): string
  /** The app that the git host created from a manifest; a code works once. */
  convertManifest(code: string): Promise<GitHostApp>
  /** The installations that the person of this code may manage. */
  installationsOf(app: GitHostApp, code: string): Promise<readonly Installation[]>
  /** The repositories of an installation, at most `repositoriesMax`. */
  repositories(app: GitHostApp, installation: number): Promise<readonly Repository[]>
  /** A token that reads the contents of one repository, `owner/name`, for an hour at most. */
  readToken(app: GitHostApp, installation: number, repository: string): Promise<string>
  /** The newest commit of `ref`, a branch or a commit; '' is the default branch. */
  commitOf(app: GitHostApp, installation: number, repository: string, ref: string): Promise<string>
  /** The checks of a commit, by name, without those that svc itself reports. */
  checksOf(app: GitHostApp, installation: number, repository: string, commit: string): Promise<Check[]>
  /** The files changed between two commits; undefined where the git host does not list all of them. */
  changedFiles(
    app: GitHostApp,
    installation: number,
    repository: string,
    from: string,
    to: string,
  ): Promise<string[] | undefined>
  /** Reports the state of a deploy as a status of the commit and as a deployment; harmless to repeat. */
  report(app: GitHostApp, installation: number, repository: string, ref: ReportRef, report: Report): Promise<void>
}

const perPage = 100

const conversion = z.object({
  id: z.number(),
  client_id: z.string(),
  client_secret: z.string(),
  slug: z.string(),
  pem: z.string(),
  webhook_secret: z.string(),
})
const exchanged = z.object({ access_token: z.string() })
const installations = z.array(z.object({ id: z.number(), account: z.object({ login: z.string() }).nullable() }))
const repositories = z.array(
  z
    .object({ full_name: z.string(), default_branch: z.string(), private: z.boolean(), html_url: z.string() })
    .transform((each) => ({
      fullName: each.full_name,
      defaultBranch: each.default_branch,
      isPrivate: each.private,
      url: each.html_url,
    })),
)
const readable = z.object({ token: z.string() })

export function createGitHost(settings: GitHostSettings): GitHost {
  const { web } = settings
  const connect = async (who: Who) => (await import('./octokit.ts')).connectAs(settings, who)
  const installed = installedClients(settings)

  /** The token of a person, by the code from the git host; used for one request and dropped. */
  async function exchange({ clientId, clientSecret }: GitHostApp, code: string): Promise<string> {
    const client = await connect({})
    const answer: { data: unknown } = await client.request(`POST ${web}/login/oauth/access_token`, {
      headers: { accept: 'application/json' },
      client_id: clientId,
      client_secret: clientSecret,
      code,
    })
    const found = exchanged.safeParse(answer.data)
    if (!found.success) throw new UpstreamError(401, 'bad_code', '401: the code is not valid any more', false)
    return found.data.access_token
  }

  return {
    web,
    newAppUrl: (state) => `${web}/settings/apps/new?state=${encodeURIComponent(state)}`,
    installUrl: ({ slug }, state) => `${web}/apps/${slug}/installations/new?state=${encodeURIComponent(state)}`,
    convertManifest: (code) =>
      answered([code], async () => {
        const client = await connect({})
        return appOf((await client.request('POST /app-manifests/{code}/conversions', { code })).data)
      }),
    installationsOf: (app, code) =>
      answered([code, app.clientSecret], async () => {
        const person = await connect({ token: await exchange(app, code) })
        const found = await person.paginate('GET /user/installations', { per_page: perPage })
        return installations.parse(found).map(({ id, account }) => ({ id, account: account?.login ?? '' }))
      }),
    repositories: (app, installation) =>
      answered([], async () => {
        const client = await connect({ app, installation })
        let left = repositoriesMax / perPage
        const wanted = { per_page: perPage }
        const found = await client.paginate('GET /installation/repositories', wanted, ({ data }, done) => {
          left -= 1
          if (left === 0) done()
          return data
        })
        return repositories.parse(found)
      }),
    readToken: (app, installation, repository) =>
      answered([], async () => {
        const client = await connect({ app })
        const auth: unknown = await client.auth({
          type: 'installation',
          installationId: installation,
          repositoryNames: [repository.split('/').at(-1) ?? repository],
          permissions: { contents: 'read' },
        })
        return readable.parse(auth).token
      }),
    commitOf: (app, installation, repository, ref) =>
      answered([], async () => readCommit(await installed(app, installation), repository, ref)),
    checksOf: (app, installation, repository, commit) =>
      answered([], async () => readChecks(await installed(app, installation), repository, commit)),
    changedFiles: (app, installation, repository, from, to) =>
      answered([], async () => readChanged(await installed(app, installation), repository, from, to)),
    report: (app, installation, repository, ref, report) =>
      answered([], async () => sendReport(await installed(app, installation), repository, ref, report)),
  }
}

function appOf(data: unknown): GitHostApp {
  const app = conversion.parse(data)
  return {
    appId: String(app.id),
    clientId: app.client_id,
    clientSecret: app.client_secret,
    slug: app.slug,
    privateKey: app.pem,
    webhookSecret: app.webhook_secret,
  }
}

/** Octokit's errors contain the request with its headers; this error has only a status and the git host's message. */
export async function answered<Answer>(secrets: readonly string[], ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    const status = error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : 0
    if (error instanceof z.ZodError)
      throw new UpstreamError(0, '', 'the git host answered something else than its API describes', false)
    if (status === 0 || !(error instanceof Error))
      throw new UpstreamError(0, '', `the git host does not answer: ${whyUnanswered(error)}`, true)
    const passing = status >= 500 || status === 429 || status === 408 || /rate limit/i.test(error.message)
    throw new UpstreamError(status, '', `${status}: ${shortly(error.message, secrets)}`, passing)
  }
}
