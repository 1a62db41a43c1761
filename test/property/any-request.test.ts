/**
 * Any request to any operation on either surface by any caller: an answer of the reference
 * (docs/reference/conventions.md#errors), and no partial write.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import type { z } from 'zod'
import { fieldOptionsOf } from '../../contract/json/decode.ts'
import { isWrite, pathParams } from '../../contract/operation.ts'
import { operationOf, type OperationId } from '../../contract/operations.ts'
import { dashboardRoutes, v1Routes, type ListedRoute } from '../../api/http/routes.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { startTestApi, type Answer, type Asked, type TestApi } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'
import { expectError } from './answers.ts'
import { callerNames, signInAgain, signInAll, type CallerName, type Callers } from './callers.ts'
import { asForm, fieldsOf, oddPathTexts, rawBodies, secretMark, type Known } from './hostile-values.ts'
import { differences, keptNow, removeSince, type Kept } from './kept.ts'

const seed = Number(process.env['SVC_TEST_SEED'] ?? 20_261_121)
/**
 * All routes together take less than a minute, also on a busy machine; `SVC_TEST_RUNS=20` makes twenty times as many
 * requests.
 */
const times = Number(process.env['SVC_TEST_RUNS'] ?? 1)
const runs = { write: 12, read: 5 } as const
const routeMs = times * 450

/** One request before it is sent. */
interface Sent {
  readonly caller: CallerName
  readonly fields: Record<string, unknown>
  readonly how: 'json' | 'form' | 'query' | { readonly body: string; readonly type: string }
  /** A text that replaces the path parameters. */
  readonly odd: string | undefined
}

describe(`any request (seed ${seed})`, () => {
  let api: TestApi
  let client: ClusterClient
  let callers: Callers
  let atFirst: Kept
  let known: Known

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    api = await startTestApi()
    atFirst = await keptNow(client)
    const token = await api.token({ role: 'admin' })
    const make = async (path: string, json: object) => (await api.ask('POST', `/api/v1${path}`, { token, json })).body
    const { project } = await make('/projects', {})
    const victim = (await make('/projects', {})).project
    await make(`/projects/${project}/environments`, { environment: 'spare' })
    const { name: app } = await make('/apps', { project, environment: 'production', image: 'nginx:1', deploy: true })
    const { name: doomed } = await make('/apps', { project, environment: 'production', image: 'nginx:1' })
    const data = { ...(await dataOf(make, project)), ...prefixed('doomed', await dataOf(make, project)) }
    callers = await signInAll(api, project)
    known = { app, project, doomed, victim, ...data, environment: 'production' }
  })
  after(async function () {
    this.timeout(60_000)
    await api.stop()
    await removeSince(client, atFirst)
  })

  for (const [index, route] of [...v1Routes, ...dashboardRoutes].entries()) {
    it(`${route.method} ${route.path}`, async () => {
      const held = { kept: await keptNow(client) }
      const startedAt = performance.now()
      let tried = 0
      await fc.assert(
        fc.asyncProperty(requests(route, knownFor(route.id, known)), async (sent) => {
          tried += 1
          // At least two requests, however slow the machine is.
          if (tried > 2 && performance.now() - startedAt > routeMs) return
          await check(route, sent, held)
        }),
        { seed: seed + index, numRuns: times * runs[isWrite(operationOf(route.id)) ? 'write' : 'read'] },
      )
      if (!isWrite(operationOf(route.id))) expect(differences(held.kept, await keptNow(client))).to.deep.equal([])
    }).timeout(times * 30_000)
  }

  it('and no secret was logged', () => {
    const leaking = api
      .logLines()
      .map((line) => JSON.stringify(line))
      .filter((line) => line.includes(secretMark))
    expect(leaking).to.deep.equal([])
  })

  async function check(route: ListedRoute, sent: Sent, held: { kept: Kept }): Promise<void> {
    const path = pathOf(route, sent, knownFor(route.id, known))
    const answer = await ask(route, path, { ...callers[sent.caller], ...bodyOf(sent) })
    if (answer.status >= 400) expectError(path, answer)
    else expectView(route.id, answer)
    if (answer.status >= 400 || takesSecret(route.id)) expect(answer.text).not.to.include(secretMark)
    if (isWrite(operationOf(route.id))) {
      const now = await keptNow(client)
      // Both deploy one after the other until one is refused by name; those before it stay deployed.
      const isOfMany = route.id === 'tokens.deploy' || route.id === 'projects.deploy'
      const keepsFormer = isOfMany && answer.status === 400 && /"error":"[a-z0-9-]+: /.test(answer.text)
      if (answer.status >= 400 && !keepsFormer)
        expect(differences(held.kept, now), `${answer.status} ${answer.text}`).to.deep.equal([])
      held.kept = now
    }
    // The sign-out ended every session of that user.
    if (route.id === 'auth.logout' && answer.status === 200) callers = await signInAgain(api, callers, sent.caller)
  }

  /** Reads only the head of a stream. */
  async function ask(route: ListedRoute, path: string, asked: Asked): Promise<Answer> {
    if (operationOf(route.id).stream !== true) return api.ask(route.method, path, asked)
    const headers = new Headers({
      authorization: asked.token === undefined ? '' : `Bearer ${asked.token}`,
      cookie: asked.cookie ?? '',
    })
    const response = await fetch(api.baseUrl + path, { headers })
    if (!response.ok) {
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: text.startsWith('{') ? JSON.parse(text) : undefined,
      }
    }
    await response.body?.cancel()
    return { status: response.status, headers: response.headers, text: '', body: undefined }
  }
})

/** The answer has exactly the fields of the contract. */
function expectView(id: OperationId, answer: Answer): void {
  const { view, stream, status = 200 } = operationOf(id)
  expect(answer.status).to.equal(status)
  const type = answer.headers.get('content-type')
  if (stream === true) return void expect(type).to.equal('text/event-stream; charset=utf-8')
  expect(type).to.equal('application/json; charset=utf-8')
  expect(view.parse(answer.body)).to.deep.equal(answer.body)
}

/** Values that a text field of this name takes. */
const fittingTexts: Known = {
  image: 'nginx:1',
  cpu: '100m',
  memory: '64Mi',
  id: 'none',
  key: 'A_NAME',
  name: 'B_NAME',
  host: 'shop.example.com',
  repository: 'acme/shop',
  region: 'eu',
  source: 'image',
  workingDir: '/srv',
  readinessPath: '/',
  livenessPath: '/',
  config: 'A=1',
  displayName: 'Shop',
  since: '15m',
  q: 'x',
  version: '16',
  storageSize: '20Gi',
  bucket: 'photos',
  database: 'more',
}

const takesSecret = (id: OperationId): boolean =>
  Object.values<z.core.$ZodType>(operationOf(id).params.shape).some((type) => fieldOptionsOf(type)?.secret === true)

type Make = (path: string, json: object) => Promise<{ name: string }>

/** Makes a database, a logical database on it, and a bucket. */
async function dataOf(make: Make, project: string): Promise<Known> {
  const place = { project, environment: 'production' }
  const { name: db } = await make('/databases', place)
  const { name: logicalDatabase } = await make('/logical-databases', { ...place, server: db, database: 'kept' })
  const { name: store } = await make('/object-stores', { ...place, bucket: `${db}-files` })
  return { db, logicalDatabase, store }
}

const prefixed = (prefix: string, names: Known): Known =>
  Object.fromEntries(Object.entries(names).map(([name, value]) => [`${prefix} ${name}`, value]))

/** The operations that delete get records that the other routes do not need. */
function knownFor(id: OperationId, all: Known): Known {
  const { app = '', project = '', doomed = '', victim = '', environment = '' } = all
  const doomedOf = (name: string, resource: string): string =>
    (id === `${resource}.delete` ? all[`doomed ${name}`] : all[name]) ?? ''
  const confirmed = {
    'apps.delete': doomed,
    'projects.settings-delete': victim,
    'projects.environments-archive': 'spare',
    'apps.networking-delete': app,
    // Taken only once the logical database on it is gone.
    'databases.delete': all['doomed db'],
    'logical-databases.delete': all['doomed logicalDatabase'],
    'object-stores.delete': all['doomed store'],
  } as Partial<Record<OperationId, string>>
  return {
    app: id === 'apps.delete' ? doomed : app,
    project: id === 'projects.settings-delete' ? victim : project,
    environment: id === 'projects.environments-archive' ? 'spare' : environment,
    db: doomedOf('db', 'databases'),
    server: all['db'] ?? '',
    logicalDatabase: doomedOf('logicalDatabase', 'logical-databases'),
    store: doomedOf('store', 'object-stores'),
    confirmName: confirmed[id] ?? 'not-it',
    username: 'nobody-knows',
    ...fittingTexts,
    ...(id.endsWith('.create') ? { name: id.replace('.', '-') } : {}),
  }
}

function requests({ id, method }: ListedRoute, known: Known): fc.Arbitrary<Sent> {
  const reads = method === 'GET' || method === 'DELETE'
  return fc.record({
    caller: fc.constantFrom<CallerName>(
      'admin token',
      'admin token',
      'admin token',
      'admin session',
      'admin session',
      'project token',
      ...callerNames,
    ),
    fields: fieldsOf(operationOf(id).params, known),
    how: reads
      ? fc.constant('query' as const)
      : fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom('json' as const, 'form' as const) },
          { weight: 1, arbitrary: fc.constant('query' as const) },
          { weight: 1, arbitrary: rawBodies },
        ),
    odd: fc.option(oddPathTexts, { nil: undefined, freq: 9 }),
  })
}

function pathOf({ path }: ListedRoute, { fields, how, odd }: Sent, known: Known): string {
  const named = pathParams(path).reduce((text, name) => text.replace(`{${name}}`, odd ?? known[name] ?? 'none'), path)
  if (how !== 'query') return named
  // Node limits the size of a head; other tests cover longer heads.
  const query = new URLSearchParams(
    Object.entries(asForm(fields)).flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
  )
  return `${named}?${query.toString().slice(0, 6000)}`
}

function bodyOf({ fields, how }: Sent): Asked {
  if (how === 'query') return {}
  if (how === 'form') return { form: asForm(fields) }
  if (how === 'json') return { json: fields }
  return { raw: how }
}
