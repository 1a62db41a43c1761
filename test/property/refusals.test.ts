/** The refusals that have a fixed sentence or number (docs/reference/limits.md), line by line. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { startTestApi, type Asked } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'
import { differences, keptNow, removeSince, type Kept } from './kept.ts'
import { json, type World } from './refusal-row.ts'
import { refusedLimits } from './refused-limits.ts'
import { refusedRequests } from './refused-requests.ts'
import { refusedOfResources } from './refused-resources.ts'

describe('the refusals with a fixed sentence or number', () => {
  let world: World
  let client: ClusterClient
  let atFirst: Kept

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    const api = await startTestApi()
    atFirst = await keptNow(client)
    const cookie = { cookie: await api.signIn('admin') }
    const make = async (path: string, fields: object) =>
      (await api.ask('POST', `/api/v1${path}`, json(cookie, fields))).body
    const { project } = await make('/projects', {})
    const elsewhere = (await make('/projects', {})).project
    const app = (await make('/apps', { project, environment: 'production', image: 'nginx:1', deploy: true })).name
    const fn = (await make('/apps', { project, environment: 'production', source: 'function' })).name
    const foreign = (
      await make('/apps', { project: elsewhere, environment: 'production', image: 'nginx:1', deploy: true })
    ).name
    const token = async (wanted: Record<string, unknown>): Promise<Asked> => ({ token: await api.token(wanted) })
    const tokens = {
      admin: await token({ role: 'admin' }),
      observer: await token({ role: 'observer' }),
      viewer: await token({ role: 'viewer' }),
    }
    world = {
      api,
      cookie,
      ...tokens,
      projectToken: await token({ scope: 'project', project, environment: 'production' }),
      project,
      app,
      fn,
      foreign,
    }
  })
  after(async () => {
    await world.api.stop()
    await removeSince(client, atFirst)
  })

  for (const [line, ask, status, code, sentence] of [...refusedLimits, ...refusedRequests, ...refusedOfResources]) {
    it(`${line}: ${sentence}`, async () => {
      const kept = await keptNow(client)
      const answer = await ask(world)
      expect([answer.status, answer.body]).to.deep.equal([status, { error: sentence, code }])
      expect(differences(kept, await keptNow(client))).to.deep.equal([])
    })
  }
})
