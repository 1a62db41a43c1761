/**
 * Schemathesis calls every operation as every kind of caller, from the OpenAPI document alone: no 5xx, no breach of a
 * schema.
 */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'
import { keptNow, removeSince, type Kept } from '../property/kept.ts'
import { callAll, type Known, type Run } from './call.ts'
import { pythonWithSchemathesis } from './install.ts'
import { strictDocument } from './strict-document.ts'

const seed = Number(process.env['SVC_TEST_SEED'] ?? 20_261_121)
const times = Number(process.env['SVC_TEST_RUNS'] ?? 1)

/** A caller without rights is refused before any other check, so a few examples are enough. */
const thorough = { phases: ['examples', 'coverage', 'fuzzing'], examples: 8 * times } as const
const brief = { phases: ['fuzzing'], examples: 3 * times } as const

describe(`Schemathesis (seed ${seed})`, function () {
  this.timeout(times * 600_000)
  let api: TestApi
  let client: ClusterClient
  let atFirst: Kept
  let python: string
  let known: readonly Known[]
  let credentials: Record<string, Record<string, string>>

  before(async () => {
    python = await pythonWithSchemathesis()
    ;({ client } = await useStack())
    api = await startTestApi()
    atFirst = await keptNow(client)
    const cookie = await api.signIn('admin')
    const make = async (path: string, json: object) => (await api.ask('POST', `/api/v1${path}`, { cookie, json })).body
    const { project } = await make('/projects', {})
    const place = { project, environment: 'production' }
    const apps: string[] = []
    for (const fields of [
      { image: 'nginx:1', deploy: true },
      { image: 'nginx:1' },
      { source: 'git' },
      { source: 'function' },
    ]) {
      apps.push((await make('/apps', { ...place, ...fields })).name)
    }
    const databases = [
      (await make('/databases', place)).name,
      (await make('/databases', { ...place, engine: 'redis' })).name,
    ]
    const stores = [(await make('/object-stores', { ...place, bucket: 'photos' })).name]
    const bearer = async (wanted: Record<string, unknown>) => ({ Authorization: `Bearer ${await api.token(wanted)}` })
    credentials = {
      nobody: {},
      'a viewer token': await bearer({ role: 'viewer' }),
      'an observer token': await bearer({ role: 'observer' }),
      'a project token': await bearer({ scope: 'project', ...place }),
      'an admin session': { Cookie: cookie, Origin: api.baseUrl },
      'an admin token': await bearer({ role: 'admin' }),
    }
    known = [
      { paths: '^/apps/', field: 'path.name', values: apps },
      { paths: '^/projects/', field: 'path.name', values: [project] },
      { paths: '^/databases/', field: 'path.name', values: databases },
      { paths: '^/object-stores/', field: 'path.name', values: stores },
      { paths: '^/(apps|databases|object-stores|logical-databases)$', field: 'body.project', values: [project] },
      {
        paths: '^/(apps|databases|object-stores|logical-databases|projects/[^/]+/deploy)$',
        field: 'body.environment',
        values: ['production'],
      },
    ]
  })
  after(async () => {
    await api.stop()
    await removeSince(client, atFirst)
  })

  const rows: [caller: string, how: Pick<Run, 'phases' | 'examples'>][] = [
    ['nobody', brief],
    ['a viewer token', brief],
    ['an observer token', brief],
    ['a project token', brief],
    ['an admin session', brief],
    ['an admin token', thorough],
  ]
  for (const [caller, how] of rows) {
    it(`finds nothing as ${caller}`, async () => {
      const { passed, said, cases } = await callAll({
        python,
        url: `${api.baseUrl}/api/v1`,
        document: strictDocument(),
        headers: credentials[caller] ?? {},
        seed,
        known,
        ...how,
      })
      if (!passed) throw new Error(said)
      expect(cases, said).to.be.above(100)
    })
  }
})
