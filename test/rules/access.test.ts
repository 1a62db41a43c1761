/**
 * The access of each operation (docs/reference/access.md#kinds-of-callers), written down a second time and tried with
 * every kind of caller.
 */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { isWrite } from '../../contract/operation.ts'
import { type OperationId, operationOf, operations } from '../../contract/operations.ts'
import { startTestApi, type Asked, type TestApi } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'
import { keptNow, removeSince, type Kept } from '../property/kept.ts'
import { callers, refusalOf, refused, signInEveryone, type CallerName, type Column } from './access-rules.ts'

/** `[column, surfaces that project tokens may use]`; an operation that is missing here does not compile. */
const expected: Record<OperationId, readonly [Column, ...('v1' | 'dashboard')[]]> = {
  'platform.version': ['Any', 'v1'],
  'platform.me': ['Any', 'v1'],
  'platform.openapi': ['Any'],
  'platform.events': ['Any'],
  'platform.bootstrap': ['Any'],
  'platform.warnings': ['Any'],
  'platform.backup': ['Admin session'],
  'platform.restore': ['Admin session'],
  'auth.login': ['Public'],
  'auth.logout': ['Public'],
  'auth.session': ['Public'],
  'auth.device-start': ['Public'],
  'auth.device-token': ['Public'],
  'auth.device-read': ['Admin session'],
  'auth.device-approve': ['Admin session'],
  'tokens.list': ['Admin session'],
  'tokens.create': ['Admin session'],
  'tokens.revoke': ['Admin session'],
  'users.list': ['Admin session'],
  'users.create': ['Admin session'],
  'users.set-password': ['Admin session'],
  'users.set-role': ['Admin session'],
  'users.remove': ['Admin session'],
  'users.change-password': ['Any'],
  'tokens.self': ['Any token', 'dashboard'],
  'tokens.services': ['Any token', 'v1', 'dashboard'],
  'tokens.deploy': ['Project token only', 'v1', 'dashboard'],
  'projects.list': ['Any'],
  'projects.create': ['Admin'],
  'projects.get': ['Any'],
  'projects.settings-save': ['Admin'],
  'projects.settings-delete': ['Admin'],
  'projects.deploy': ['Admin'],
  'projects.pending': ['Admin'],
  'projects.capacity': ['Admin'],
  'projects.placement-warnings': ['Admin'],
  'projects.connections': ['Admin'],
  'projects.environments-create': ['Admin'],
  'projects.environments-archive': ['Admin'],
  'projects.variables-save': ['Admin'],
  'projects.variables-delete': ['Admin'],
  'projects.webhooks-save': ['Admin'],
  'projects.webhooks-delete': ['Admin'],
  'projects.webhooks-rotate': ['Admin'],
  'projects.webhooks-test': ['Admin'],
  'projects.webhooks-redeliver': ['Admin'],
  'projects.compliance-save': ['Admin'],
  'projects.compliance': ['Any'],
  'projects.network': ['Admin'],
  'projects.pr-environments-save': ['Admin'],
  'projects.pr-environments-close': ['Admin'],
  'projects.pr-environments-allow': ['Admin'],
  'projects.backup-storage': ['Admin'],
  'projects.githost-install': ['Admin'],
  'projects.githost-disconnect': ['Admin'],
  'projects.githost-repos': ['Observer'],
  'apps.list': ['Any', 'v1'],
  'apps.create': ['Admin'],
  'apps.get': ['Any', 'v1'],
  'apps.update': ['Admin', 'v1', 'dashboard'],
  'apps.delete': ['Admin'],
  'apps.status': ['Any', 'v1'],
  'apps.deployments': ['Any', 'v1'],
  'apps.deployment-logs': ['Observer', 'v1', 'dashboard'],
  'apps.deploy': ['Admin', 'v1', 'dashboard'],
  'apps.scale': ['Admin', 'v1', 'dashboard'],
  'apps.rollback': ['Admin', 'v1', 'dashboard'],
  'apps.build': ['Admin', 'v1', 'dashboard'],
  'apps.build-cancel': ['Admin', 'v1', 'dashboard'],
  'apps.retry-provision': ['Admin', 'v1', 'dashboard'],
  'apps.config-set': ['Admin', 'v1', 'dashboard'],
  'apps.config-delete': ['Admin', 'v1', 'dashboard'],
  'apps.secrets-set': ['Admin', 'v1', 'dashboard'],
  'apps.secrets-delete': ['Admin', 'v1', 'dashboard'],
  'apps.variables': ['Observer', 'v1', 'dashboard'],
  'apps.logs': ['Observer', 'v1', 'dashboard'],
  'apps.logs-stream': ['Observer', 'v1', 'dashboard'],
  'projects.logs': ['Observer'],
  'projects.logs-stream': ['Observer'],
  'projects.logs-history': ['Observer'],
  'apps.runtime': ['Observer', 'v1', 'dashboard'],
  'apps.console': ['Admin'],
  'apps.metrics': ['Any', 'v1', 'dashboard'],
  'apps.display-name': ['Admin'],
  'apps.deployment-changes': ['Admin'],
  'apps.deployment-logs-stream': ['Observer', 'dashboard'],
  'apps.builds': ['Observer', 'dashboard'],
  'apps.copies': ['Observer'],
  'apps.pending': ['Admin'],
  'apps.schedules': ['Admin', 'dashboard'],
  'apps.schedule-run': ['Admin', 'dashboard'],
  'apps.invoke': ['Admin', 'dashboard'],
  'apps.git-webhook': ['Admin'],
  'apps.git-webhook-rotate': ['Admin'],
  'apps.deploy-key': ['Observer'],
  'apps.deploy-key-rotate': ['Admin'],
  'apps.deploy-key-delete': ['Admin'],
  'apps.discard': ['Admin'],
  'apps.attach': ['Admin'],
  'apps.networking-delete': ['Admin'],
  'apps.shared-variables-save': ['Admin'],
  'apps.config-raw': ['Admin', 'dashboard'],
  'apps.env-delete': ['Admin', 'dashboard'],
  'projects.metrics': ['Any'],
  'nodes.list': ['Any'],
  'nodes.placement': ['Admin'],
  'nodes.placement-warnings': ['Admin'],
  'runs.list': ['Observer'],
  'runs.get': ['Observer'],
  'usage.get': ['Any'],
  'templates.list': ['Observer'],
  'templates.deploy': ['Admin'],
  'metrics.cluster': ['Any'],
  'metrics.operator': ['Any'],
  'databases.list': ['Any'],
  'databases.create': ['Admin'],
  'databases.connect': ['Admin'],
  'databases.change-login': ['Admin'],
  'databases.get': ['Any'],
  'databases.update': ['Admin'],
  'databases.delete': ['Admin'],
  'databases.deploy': ['Admin'],
  'databases.discard': ['Admin'],
  'databases.retry-provision': ['Admin'],
  'databases.connection': ['Admin'],
  'databases.metrics': ['Any'],
  'databases.restore': ['Admin'],
  'databases.backup': ['Admin'],
  'databases.archives': ['Any'],
  'databases.get-archive': ['Any'],
  'databases.delete-archive': ['Admin'],
  'databases.query': ['Admin'],
  'logical-databases.list': ['Any'],
  'logical-databases.create': ['Admin'],
  'logical-databases.get': ['Any'],
  'logical-databases.update': ['Admin'],
  'logical-databases.delete': ['Admin'],
  'logical-databases.retry-provision': ['Admin'],
  'logical-databases.connection': ['Admin'],
  'logical-databases.backup': ['Admin'],
  'object-stores.list': ['Any'],
  'object-stores.create': ['Admin'],
  'object-stores.get': ['Any'],
  'object-stores.update': ['Admin'],
  'object-stores.delete': ['Admin'],
  'object-stores.deploy': ['Admin'],
  'object-stores.discard': ['Admin'],
  'object-stores.retry-provision': ['Admin'],
  'object-stores.restore': ['Admin'],
  'object-stores.backup': ['Admin'],
  'settings.registry': ['Admin'],
  'settings.registry-save': ['Admin'],
  'settings.registry-clear': ['Admin'],
  'settings.domain': ['Admin'],
  'settings.domain-save': ['Admin'],
  'settings.domain-clear': ['Admin'],
  'settings.dns-provider': ['Admin'],
  'settings.dns-provider-save': ['Admin'],
  'settings.dns-provider-clear': ['Admin'],
  'settings.githost': ['Admin'],
  'settings.githost-save': ['Admin'],
  'settings.githost-clear': ['Admin'],
  'cloud-connections.list': ['Admin'],
  'cloud-connections.create': ['Admin'],
  'orphans.list': ['Admin'],
}

/** Bodies that a rule refuses, so that permitted callers change nothing. */
const harmless: Partial<Record<OperationId, Record<string, string>>> = {
  'projects.create': { region: 'NOT A REGION' },
  'tokens.create': { expiresInDays: '-1' },
  'databases.create': { engine: 'none' },
  'object-stores.create': { engine: 'none' },
}

/** The required fields of the operations on a service, so that only the service itself can be missing. */
const fitting = { replicas: '1', revision: 'none', key: 'A', value: 'b', config: 'A=1', name: 'A' }

describe('access', () => {
  let api: TestApi
  let client: ClusterClient
  let atFirst: Kept
  let app: string
  let credentials: Record<CallerName, Asked>

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    let now = Date.now()
    api = await startTestApi({ clock: () => now })
    atFirst = await keptNow(client)
    ;({ app, credentials } = await signInEveryone(api, (ms) => (now += ms)))
  })
  after(async () => {
    await api.stop()
    await removeSince(client, atFirst)
  })

  const ids = Object.keys(operations) as OperationId[] // the keys of a constant object
  for (const id of ids) {
    for (const surface of ['v1', 'dashboard'] as const) {
      const route = operationOf(id)[surface]
      if (route === undefined) continue
      const base = surface === 'v1' ? '/api/v1' : ''
      const [column, ...open] = expected[id]
      const checksOrigin = isWrite(operationOf(id))
      it(`of ${route.method} ${base}${route.path} (${id}): ${expected[id].join(', ')}`, async () => {
        const path = base + route.path.replace(/\{\w+\}/g, 'none')
        // Signing out would end the sessions that the other cases use.
        const asking = callers.filter((caller) => id !== 'auth.logout' || credentials[caller].cookie === undefined)
        const answers = await Promise.all(
          asking.map(async (caller) => [caller, await firstOf(route.method, path, id, credentials[caller])] as const),
        )
        for (const [caller, { status, error }] of answers) {
          const wanted = refusalOf({ column, open: open.includes(surface), checksOrigin }, caller)
          if (wanted !== undefined) expect([status, error], caller).to.deep.equal(wanted)
          else expect([status, error], caller).not.to.deep.be.oneOf(Object.values(refused))
          if (wanted === undefined) expect(status, caller).to.be.lessThan(500).and.not.equal(405)
        }
      })

      if (open.includes(surface) && route.path.includes('{app}')) {
        it(`of ${route.method} ${base}${route.path}: a service in another environment is 404 app not found`, async () => {
          const path = base + route.path.replace('{app}', app).replace(/\{\w+\}/g, 'none')
          const { status, error } = await firstOf(
            route.method,
            path,
            id,
            credentials['project token of another environment'],
            fitting,
          )
          expect([status, error]).to.deep.equal([404, 'app not found'])
        })
      }
    }
  }

  it('is refused to a project token for every other path, there or not', async () => {
    for (const path of [
      '/api/v1/nothing',
      '/api/nothing',
      '/api/v1/openapi.json',
      '/api/v1/projects',
      '/api/bootstrap',
    ]) {
      const { status, error } = await firstOf('GET', path, 'platform.me', credentials['project token'])
      expect([status, error], path).to.deep.equal(refused.outOfScope)
    }
  })

  /** Reads only the head of a stream. */
  async function firstOf(
    method: string,
    path: string,
    id: OperationId,
    asked: Asked,
    form = harmless[id] ?? { confirmName: 'not-it' },
  ): Promise<{ status: number; error?: string }> {
    const body = method === 'GET' ? {} : { form }
    if (operationOf(id).stream !== true) {
      const answer = await api.ask(method, path, { ...asked, ...body })
      return { status: answer.status, error: answer.body?.error }
    }
    const headers = new Headers(asked.cookie === undefined ? {} : { cookie: asked.cookie })
    if (asked.token !== undefined) headers.set('authorization', `Bearer ${asked.token}`)
    const response = await fetch(api.baseUrl + path, { headers })
    if (response.ok) {
      await response.body?.cancel()
      return { status: response.status }
    }
    const text = await response.text()
    // The body of a refusal has this shape.
    return { status: response.status, ...(text.startsWith('{') ? (JSON.parse(text) as { error: string }) : {}) }
  }
})
