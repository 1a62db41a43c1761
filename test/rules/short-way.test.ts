/**
 * The short way of reads answers what the application answers, byte for byte and header for header, to every kind of
 * caller: there is no second rule of who may read what.
 */
import { expect } from 'chai'
import { dashboardRoutes, v1Routes } from '../../api/http/routes.ts'
import { shortReads } from '../../api/http/short-way.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { readBothWays } from '../api/both-ways.ts'
import { startTestApi, type Asked, type TestApi } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'
import { keptNow, removeSince, type Kept } from '../property/kept.ts'
import { callers, signInEveryone, type CallerName } from './access-rules.ts'

describe('the short way', () => {
  let api: TestApi
  let client: ClusterClient
  let atFirst: Kept
  let credentials: Record<CallerName, Asked>
  let names: Record<string, string>

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    let now = Date.now()
    api = await startTestApi({ clock: () => now })
    atFirst = await keptNow(client)
    const everyone = await signInEveryone(api, (ms) => (now += ms))
    credentials = everyone.credentials
    const admin = credentials['admin token']
    const { body } = await api.ask('GET', `/api/v1/apps/${everyone.app}`, admin)
    const { project } = body.spec
    const make = async (path: string): Promise<string> =>
      (await api.ask('POST', `/api/v1/${path}`, { ...admin, json: { project, environment: 'production' } })).body.name
    names = {
      app: everyone.app,
      project,
      db: await make('databases'),
      store: await make('object-stores'),
    }
  })
  after(async () => {
    await api.stop()
    await removeSince(client, atFirst)
  })

  it('knows the records that it is held against', () => {
    expect(Object.values(names)).not.to.include(undefined)
  })

  const reads = [...v1Routes, ...dashboardRoutes].filter(({ id, method }) => method === 'GET' && shortReads.has(id))
  for (const { id, path } of reads)
    it(`of ${path} (${id})`, async () => {
      const there = path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'none')
      const queries = path.includes('{')
        ? ['', '?project=other']
        : ['', `?project=${names['project']}&environment=production&unknown=a%20b`, '?project=other']
      const addresses = new Set([...queries.map((query) => there + query), path.replace(/\{\w+\}/g, 'none')])
      for (const caller of callers)
        for (const address of addresses) {
          const asked = {
            ...credentials[caller],
            headers: { ...credentials[caller].headers, 'x-request-id': 'both-ways' },
          }
          const { byApplication, found, isShort } = await readBothWays(api, address, asked)
          expect(found, `${caller} ${address}`).to.deep.equal(byApplication)
          expect(isShort, `${caller} ${address}`).to.equal(found.status === 200)
        }
    })
})
