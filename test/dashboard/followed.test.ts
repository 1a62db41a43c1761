/** What changes is shown in whatever order the page hears of it, and nothing is read twice for that. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Route } from 'playwright-core'
import { connectCluster, type ClusterClient } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { useStack } from '../harness/stack.ts'
import { startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'
import { loaded } from './pages.ts'

/** Longer than a deploy takes here. */
const lateMs = 3_000
/** Longer than the first reads wait for the stream. */
const heldMs = 1_000
const quietMs = 500

/** Hears of copies long after they are there. */
function lateOfCopies(client: ClusterClient): ClusterClient {
  return {
    ...client,
    watch: async (type, query) =>
      type === coreTypes.deployment ? late(await client.watch(type, query)) : await client.watch(type, query),
  }
}

async function* late<T>(pieces: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const piece of pieces) {
    await sleep(lateMs)
    yield piece
  }
}

describe('a page of the dashboard', function () {
  this.timeout(120_000)
  let dashboard: TestDashboard
  let client: ClusterClient & { close(): void }
  let project: string
  const web = uniqueName('web')

  before(async () => {
    const { kubeconfig } = await useStack()
    client = connectCluster({ kubeconfig })
    dashboard = await startTestDashboard({ client: lateOfCopies(client) })
    project = await dashboard.project('Before')
  })
  after(async () => {
    await dashboard?.stop()
    client?.close()
  })

  const ask = async (method: string, path: string, json: object) => {
    const answer = await dashboard.ask(method, `/api/v1${path}`, { cookie: await dashboard.signIn('admin'), json })
    expect(answer.status, answer.text).to.equal(200)
  }

  it("shows the copies of a service that reached the api's cache after the end of its deploy", async () => {
    const { page, complaints } = await dashboard.open(`/projects/${project}`)
    await ask('POST', '/apps', { project, environment: 'production', name: web, image: 'svc/hello:1', deploy: true })
    await page.getByRole('link', { name: web }).click()
    await page.getByText('Running: 0 of 1 copy ready.').waitFor()
    await page.getByText('Running: 1 of 1 copy ready.').waitFor()
    expect(complaints).to.deep.equal([])
  })

  it('shows what changed after its first reads and before its stream', async () => {
    const { page, complaints } = await dashboard.open('/')
    const held: Route[] = []
    await page.route(/\/api\/v1\/events/, (route) => void held.push(route))
    await page.goto(`${dashboard.baseUrl}/projects/${project}`)
    await page.getByRole('heading', { name: 'Before', level: 1 }).waitFor()
    await ask('PATCH', `/projects/${project}`, { displayName: 'After' })
    await sleep(heldMs)
    expect(await page.getByRole('heading', { level: 1 }).textContent(), 'no event reached the page').to.equal('Before')
    await Promise.all(held.map((route) => route.continue()))
    await page.getByRole('heading', { name: 'After', level: 1 }).waitFor()
    expect(complaints).to.deep.equal([])
  })

  it('reads everything once when it is opened', async () => {
    const { page, complaints } = await dashboard.open('/')
    for (const path of ['/', `/projects/${project}`, `/services/${web}`, `/services/${web}/settings`, '/cluster']) {
      await page.goto('about:blank')
      const reads: string[] = []
      const note = (url: string) => void (url.includes('/api/v1/') && reads.push(new URL(url).href))
      page.on('request', (request) => note(request.url()))
      await page.goto(`${dashboard.baseUrl}${path}`)
      await loaded(page)
      await sleep(quietMs)
      page.removeAllListeners('request')
      expect(reads, path).to.include(`${dashboard.baseUrl}/api/v1/events?parts=on`)
      expect(reads.toSorted(), path).to.deep.equal([...new Set(reads)].toSorted())
    }
    expect(complaints).to.deep.equal([])
  })
})
