/**
 * Every field of every operation refuses invalid values with a sentence of its own, on both surfaces, and changes
 * nothing.
 */
import { expect } from 'chai'
import { pathParams } from '../../contract/operation.ts'
import { allOperations, type OperationId } from '../../contract/operations.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { startTestApi, type Answer, type Asked, type TestApi } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'
import { asForm } from './hostile-values.ts'
import { differences, keptNow, removeSince, type Kept } from './kept.ts'
import { ownWrongValues, wrongValues } from './wrong-values.ts'

describe('every field', () => {
  let api: TestApi
  let client: ClusterClient
  let atFirst: Kept
  let cookie: string
  let token: string
  let named: Record<string, string>

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    api = await startTestApi()
    atFirst = await keptNow(client)
    cookie = await api.signIn('admin')
    token = await api.token({ role: 'admin' })
    const make = async (path: string, json: object) => (await api.ask('POST', `/api/v1${path}`, { cookie, json })).body
    const { project } = await make('/projects', {})
    const create = async (json: object): Promise<string> =>
      (await make('/apps', { project, environment: 'production', ...json })).name
    const inEnvironment = { project, environment: 'production' }
    const { name: db } = await make('/databases', inEnvironment)
    const { name: logicalDatabase } = await make('/logical-databases', {
      ...inEnvironment,
      server: db,
      database: 'kept',
    })
    const { name: store } = await make('/object-stores', inEnvironment)
    const archive = `${db}-backup`
    await client.create(resourceTypes.backupArchive, {
      apiVersion,
      kind: resourceTypes.backupArchive.kind,
      metadata: { name: archive, namespace: systemNamespace },
      spec: {
        project,
        environment: 'production',
        database: db,
        engine: 'postgres',
        connectionRef: { name: 'none' },
        bucket: 'backups',
      },
    } as KubeObject)
    named = {
      archive,
      project,
      db,
      logicalDatabase,
      store,
      image: await create({ image: 'nginx:1' }),
      git: await create({ source: 'git' }),
      function: await create({ source: 'function' }),
    }
  })
  after(async () => {
    await api.stop()
    await removeSince(client, atFirst)
  })

  for (const [id, { params, v1, dashboard }] of allOperations) {
    for (const field of Object.keys(params.shape)) {
      const wrong = ownWrongValues[id]?.[field] ?? wrongValues[field]
      // Names in paths are never refused: an unknown name is not found.
      if (wrong === undefined && (v1 ?? dashboard)?.path.includes(`{${field}}`)) continue
      it(`${id}: ${field} is refused with: ${wrong?.[1] ?? 'NO SENTENCE'}`, async () => {
        if (wrong === undefined) throw new Error(`${id} has the field ${field}, for which no refusal is written down`)
        const kept = await keptNow(client)
        for (const answer of await askBoth(id, field, wrong[0])) {
          expect([answer.status, answer.body?.error], answer.text).to.deep.equal([400, wrong[1]])
        }
        expect(differences(kept, await keptNow(client))).to.deep.equal([])
      })
      if (v1 === undefined || v1.method === 'GET' || v1.method === 'DELETE' || v1.path.includes(`{${field}}`)) continue
      // A list inside a list is refused (docs/reference/conventions.md#json-to-fields).
      it(`${id}: ${field} is refused as a list of lists`, async () => {
        const answer = await askV1(id, field, [['a']])
        expect([answer.status, answer.body?.error]).to.deep.equal([400, `${field} must not be a list of lists`])
      })
    }
  }

  async function askBoth(id: OperationId, field: string, value: unknown): Promise<Answer[]> {
    const { v1, dashboard } = new Map(allOperations).get(id) ?? {}
    const answers = [v1 === undefined ? undefined : await askV1(id, field, value)]
    if (dashboard !== undefined) {
      const path = filled(dashboard.path, field, value)
      const sent = asForm({
        ...fitting(id, field),
        ...(dashboard.path.includes(`{${field}}`) ? {} : { [field]: value }),
      })
      answers.push(
        await api.ask(dashboard.method, dashboard.method === 'GET' ? path + queryOf(sent) : path, {
          ...callerOf(id),
          ...(dashboard.method === 'GET' ? {} : { form: sent }),
        }),
      )
    }
    return answers.filter((answer) => answer !== undefined)
  }

  async function askV1(id: OperationId, field: string, value: unknown): Promise<Answer> {
    const { method, path } = new Map(allOperations).get(id)?.v1 ?? { method: 'GET', path: '' }
    const sent = { ...fitting(id, field), ...(path.includes(`{${field}}`) ? {} : { [field]: value }) }
    const inQuery = method === 'GET' || method === 'DELETE'
    return api.ask(method, `/api/v1${filled(path, field, value)}${inQuery ? queryOf(asForm(sent)) : ''}`, {
      ...callerOf(id),
      ...(inQuery ? {} : { json: sent }),
    })
  }

  const callerOf = (id: OperationId): Asked => (id === 'tokens.services' ? { token } : { cookie })

  /** The path, with the wrong value in it when the field is a path parameter. */
  function filled(path: string, field: string, value: unknown): string {
    const app = appFor(field)
    const known: Record<string, string | undefined> = { ...named, app, id: 'none', [field]: String(value) }
    return pathParams(path).reduce(
      (text, name) => text.replace(`{${name}}`, encodeURIComponent(known[name] ?? 'none')),
      path,
    )
  }

  function appFor(field: string): string {
    if (['repository', 'branch', 'dockerfile', 'context', 'waitForCI', 'watchPatterns'].includes(field))
      return named['git'] ?? ''
    return named[field.startsWith('function') ? 'function' : 'image'] ?? ''
  }

  /** The other required fields of the operation. */
  function fitting(id: OperationId, field: string): Record<string, unknown> {
    const fits: Partial<Record<OperationId, Record<string, unknown>>> = {
      'apps.create': {
        project: named['project'],
        environment: 'production',
        ...(field === 'connectionRef' ? { source: 'git' } : {}),
      },
      'databases.restore': { archive: 'none' },
      'object-stores.restore': { archive: 'none' },
      'databases.connect': {
        project: named['project'],
        environment: 'production',
        host: 'db.example.com',
        username: 'app',
        password: 'secret-there',
      },
      'databases.change-login': { password: 'secret-there' },
      'databases.query': { query: 'SELECT 1' },
      'platform.restore': { backup: 'ab'.repeat(8), step: 'records', entries: 'none' },
      'templates.deploy': { project: named['project'], environment: 'production' },
      'databases.create': { project: named['project'], environment: 'production' },
      'logical-databases.create': {
        project: named['project'],
        environment: 'production',
        server: named['db'],
        database: 'more',
      },
      'object-stores.create': { project: named['project'], environment: 'production' },
      'apps.attach': { name: 'none', kind: 'database' },
      'apps.config-set': { key: 'A' },
      'apps.secrets-set': { key: 'A' },
      'projects.settings-save': { displayName: 'Kept', environments: ['production'] },
      'projects.environments-archive': { environment: 'production', confirmName: 'production' },
      'projects.variables-save': { name: 'A', value: 'x' },
      'projects.variables-delete': { name: 'A' },
      'cloud-connections.create': { name: 'cloud', project: named['project'] },
      'settings.registry-save': { repository: 'ghcr.io/acme' },
      'projects.backup-storage': { connection: 'none', bucket: 'backups' },
      'projects.network': { isolation: 'None' },
      'projects.pr-environments-close': { number: 1, repository: 'acme/shop' },
      'projects.pr-environments-allow': { number: 1, repository: 'acme/shop', commit: 'a'.repeat(40) },
      'users.create': { username: 'none', password: 'long-enough-1' },
      'auth.device-approve': { userCode: 'BCDF-GHJK' },
    }
    return fits[id] ?? {}
  }
})

function queryOf(form: Record<string, string[]>): string {
  const pairs = Object.entries(form).flatMap(([name, values]) => values.map((value): [string, string] => [name, value]))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}
