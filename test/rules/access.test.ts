/** Who may call what: the Access columns of the specification, written down again and tried with every kind of caller. */
import { expect } from 'chai'
import type { OperationId } from '../../contract/operations.ts'
import { operationOf, operations } from '../../contract/operations.ts'
import { apiVersion, systemNamespace } from '../../kinds/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import { startTestApi } from '../api/test-api.ts'
import type { Asked, TestApi } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'

type Column = 'Public' | 'Any' | 'Observer' | 'Admin' | 'Admin session' | 'Any token' | 'Project token only'

/** `[column, surfaces that project tokens may use]`; an operation that is missing here does not compile. */
const expected: Record<OperationId, readonly [Column, ...('v1' | 'dashboard')[]]> = {
  'platform.version': ['Any', 'v1'],
  'platform.me': ['Any', 'v1'],
  'platform.openapi': ['Any'],
  'platform.events': ['Any'],
  'platform.bootstrap': ['Any'],
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
  'tokens.self': ['Any token', 'dashboard'],
  'tokens.services': ['Any token', 'v1', 'dashboard'],
  'tokens.deploy': ['Project token only', 'v1', 'dashboard'],
  'projects.list': ['Any'],
  'projects.create': ['Admin'],
  'projects.get': ['Any'],
  'projects.settings-save': ['Admin'],
  'projects.settings-delete': ['Admin'],
  'projects.deploy': ['Admin'],
  'projects.environments-create': ['Admin'],
  'projects.environments-archive': ['Admin'],
  'projects.variables-save': ['Admin'],
  'projects.variables-delete': ['Admin'],
  'projects.webhooks-save': ['Admin'],
  'projects.webhooks-delete': ['Admin'],
  'projects.webhooks-rotate': ['Admin'],
  'projects.webhooks-test': ['Admin'],
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
  'apps.metrics': ['Any', 'v1', 'dashboard'],
  'apps.display-name': ['Admin'],
  'apps.attach': ['Admin'],
  'apps.networking-delete': ['Admin'],
  'apps.shared-variables-save': ['Admin'],
  'apps.config-raw': ['Admin', 'dashboard'],
  'apps.env-delete': ['Admin', 'dashboard'],
  'nodes.list': ['Any'],
  'nodes.placement': ['Admin'],
}

const callers = ['nobody', 'viewer session', 'admin session', 'viewer token', 'observer token', 'admin token', 'project token'] as const
type CallerName = (typeof callers)[number]

const tooLow = [403, 'viewer role cannot access this'] as const
const outOfScope = [403, 'this token cannot access that endpoint'] as const
const needsToken = [400, 'this endpoint needs an API token'] as const

/** The refusal that a caller must get, or undefined when it must pass. */
function refusalOf(id: OperationId, caller: CallerName, surface: 'v1' | 'dashboard'): readonly [number, string] | undefined {
  const [column, ...open] = expected[id]
  if (column === 'Public') return undefined
  if (caller === 'nobody') return [401, 'authentication required']
  if (caller === 'project token') return open.includes(surface) ? undefined : outOfScope
  const isToken = caller.endsWith('token')
  const role = caller.split(' ')[0]
  const byColumn: Record<Exclude<Column, 'Public'>, readonly [number, string] | undefined> = {
    Any: undefined,
    Observer: role === 'viewer' ? tooLow : undefined,
    Admin: role === 'admin' ? undefined : tooLow,
    'Admin session': role !== 'admin' ? tooLow : isToken ? outOfScope : undefined,
    'Any token': isToken ? undefined : needsToken,
    'Project token only': isToken ? outOfScope : needsToken,
  }
  return byColumn[column]
}

/** Bodies that a rule refuses, so that callers who may come in change nothing. */
const harmless: Partial<Record<OperationId, Record<string, string>>> = {
  'projects.create': { region: 'NOT A REGION' },
  'tokens.create': { expiresInDays: '-1' },
}

describe('access', () => {
  let api: TestApi
  const credentials = {} as Record<CallerName, Asked>
  const project = 'proj-0c0c0c0c'

  before(async function () {
    this.timeout(60_000)
    const { client } = await useStack()
    await client.create<Project>(resourceTypes.project, {
      apiVersion,
      kind: 'SvcProject',
      metadata: { name: project, namespace: systemNamespace },
      spec: { displayName: 'bold heron', environments: ['production'] } as Project['spec'], // the cluster fills in the defaults
    })
    api = await startTestApi()
    credentials['nobody'] = {}
    credentials['viewer session'] = { cookie: await api.signIn('viewer') }
    credentials['admin session'] = { cookie: await api.signIn('admin') }
    for (const role of ['viewer', 'observer', 'admin'] as const) credentials[`${role} token`] = { token: await api.token({ role }) }
    credentials['project token'] = { token: await api.token({ scope: 'project', project, environment: 'production' }) }
  })
  after(async () => {
    await api.stop()
    await (await useStack()).client.delete({ type: resourceTypes.project, namespace: systemNamespace, name: project })
  })

  const ids = Object.keys(operations) as OperationId[] // the keys of a constant object
  for (const id of ids) {
    for (const surface of ['v1', 'dashboard'] as const) {
      const route = operationOf(id)[surface]
      if (route === undefined) continue
      it(`${id} on ${surface}: ${expected[id].join(', ')}`, async () => {
        const path = (surface === 'v1' ? '/api/v1' : '') + route.path.replace(/\{\w+\}/g, 'none')
        for (const caller of callers) {
          // Signing out ends the very sessions that the other cases use.
          if (id === 'auth.logout' && caller.endsWith('session')) continue
          const wanted = refusalOf(id, caller, surface)
          const answer = await firstOf(route.method, path, id, credentials[caller])
          const got = [answer.status, answer.error]
          if (wanted !== undefined) expect(got, caller).to.deep.equal(wanted)
          else expect(got, caller).not.to.deep.be.oneOf([[401, 'authentication required'], tooLow, outOfScope, needsToken])
          if (wanted === undefined) expect(answer.status, caller).to.be.lessThan(500).and.not.equal(405)
        }
      })
    }
  }

  /** Only the head of a stream is read. */
  async function firstOf(method: string, path: string, id: OperationId, asked: Asked): Promise<{ status: number; error?: string }> {
    const body = method === 'GET' ? {} : { form: harmless[id] ?? { confirmName: 'not-it' } }
    if (operationOf(id).stream !== true) {
      const answer = await api.ask(method, path, { ...asked, ...body })
      return { status: answer.status, error: answer.body?.error }
    }
    const headers = { authorization: asked.token === undefined ? '' : `Bearer ${asked.token}`, cookie: asked.cookie ?? '' }
    const response = await fetch(api.baseUrl + path, { headers })
    if (response.ok) {
      await response.body?.cancel()
      return { status: response.status }
    }
    const text = await response.text()
    return { status: response.status, ...(text.startsWith('{') ? (JSON.parse(text) as { error: string }) : {}) } // the shape of a refusal
  }
})
