/** A dashboard for tests: the built pages, an api, a worker and a browser that complains about everything. */
import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { buildDashboard } from '../../dashboard/build.ts'
import { eventually } from '../cluster/eventually.ts'
import { launchChromium } from '../harness/chromium.ts'
import { atEnd } from '../harness/stack.ts'
import { scaledLimit } from '../harness/time-limits.ts'
import { useWorker, withoutWorker } from '../harness/worker.ts'
import { startTestApi, type testUsers, type TestApi, type TestApiOptions } from '../api/test-api.ts'

export interface View {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser complained about: errors of the console, of scripts, of the content security policy. */
  readonly complaints: string[]
  /** Complaints that a test causes on purpose, such as a refused save, are taken off by a part of their text. */
  expectComplaint(part: string): Promise<void>
}

export interface TestDashboard extends TestApi {
  /** A page of a browser profile of its own, signed in unless `who` is `nobody`. */
  open(path: string, who?: keyof typeof testUsers | 'nobody', options?: OpenOptions): Promise<View>
  /** The api alone, while pages stay open. */
  stopApi(): Promise<void>
  /** A project with the environment production. */
  project(displayName: string): Promise<string>
}

interface OpenOptions {
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  readonly timezoneId?: string
}

/** The limit of Playwright itself. */
const pageWithinMs = 30_000

let browser: Promise<Browser> | undefined

/** One browser for the run. */
function useBrowser(): Promise<Browser> {
  browser ??= launchChromium().then((launched) => {
    atEnd(() => launched.close())
    return launched
  })
  return browser
}

/**
 * Builds the pages where their sources changed; ready in a second where they did not. `work` starts another worker than
 * the shared one, or none: that one is ended first.
 */
export async function startTestDashboard(
  options: TestApiOptions = {},
  work?: () => Promise<unknown>,
): Promise<TestDashboard> {
  if (work !== undefined) await withoutWorker()
  const [folder] = await Promise.all([buildDashboard(), (work ?? useWorker)(), useBrowser()])
  const api = await startTestApi({ ...options, env: { SVC_DASHBOARD: folder, ...options.env } })
  const contexts: BrowserContext[] = []
  let stopping: Promise<void> | undefined
  const stopApi = () => (stopping ??= api.stop())
  return {
    ...api,
    async open(path, who = 'admin', { colorScheme = 'light', width = 1280, height = 860, timezoneId = 'UTC' } = {}) {
      const context = await (
        await useBrowser()
      ).newContext({
        colorScheme,
        viewport: { width, height },
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId,
      })
      contexts.push(context)
      if (who !== 'nobody') {
        const [name = '', value = ''] = (await api.signIn(who)).split('=')
        await context.addCookies([{ name, value, url: api.baseUrl }])
      }
      context.setDefaultTimeout(scaledLimit(pageWithinMs))
      const page = await context.newPage()
      const complaints = listen(page)
      await page.goto(`${api.baseUrl}${path}`)
      return {
        page,
        context,
        complaints,
        async expectComplaint(part) {
          const found = () => complaints.findIndex((complaint) => complaint.includes(part))
          await eventually(`the browser complains of ${part}`, () => found() >= 0)
          complaints.splice(found(), 1)
        },
      }
    },
    async project(displayName) {
      const cookie = await api.signIn('admin')
      const ask = async (method: string, path: string, json: object) => {
        const answer = await api.ask(method, `/api/v1/projects${path}`, { json, cookie })
        if (answer.status >= 400) throw new Error(`the project ${displayName} is refused: ${answer.text}`)
        return answer.body
      }
      const name = String((await ask('POST', '', {})).project)
      await ask('PATCH', `/${name}`, { displayName })
      return name
    },
    stopApi,
    async stop() {
      await Promise.all(contexts.map((context) => context.close()))
      await stopApi()
    },
  }
}

/** Violations of the policy are errors of the console as well. */
function listen(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

/** What a browser says of a connection that breaks, which is no defect of the page. */
export const isOfConnection = (complaint: string): boolean =>
  /ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|SOCKET_NOT_CONNECTED)/.test(
    complaint,
  )

/** A name that no other test uses. */
export const uniqueName = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 6)}`
