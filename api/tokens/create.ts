/** `POST /tokens`: the only answer that ever holds the value of the token. */
import { actorOf } from '../../contract/caller.ts'
import { refuse } from '../../contract/problem.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const create =
  ({ tokens, records }: Needs): Handler<'tokens.create'> =>
  async ({ params, caller }) => {
    const { name, expiresInDays, scope } = params
    const common = { name: name.trim(), createdBy: actorOf(caller), expiresInDays }
    if (scope === 'workspace') {
      return { ok: true, ...(await tokens.create({ ...common, scope, role: params.role ?? 'viewer' })) }
    }
    // The schema insists on both for this scope.
    const { project = '', environment = '' } = params
    const found = await records.projects.read(project)
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) throw refuse('project was not found')
    if (!found.spec.environments.includes(environment)) throw refuse('the project has no such environment')
    return { ok: true, ...(await tokens.create({ ...common, scope, project, environment })) }
  }
