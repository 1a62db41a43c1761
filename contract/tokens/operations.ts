/** Operations on API tokens, and the small read and write that a CI token needs. */
import { z } from 'zod'
import { anyText, oneOf, resourceName, wholeNumber } from '../fields/fields.ts'
import { environmentNameMax, tokenDays, tokenNameMax, objectNameMax } from '../limits.ts'
import { noParams, okView, operation } from '../operation.ts'
import { tokenRecordView } from '../views/token-record.ts'
import { workspaceRoles } from '../fields/words.ts'

const tag = 'Sign-in and tokens'
const filled = (value: string | undefined): value is string => value !== undefined && value !== ''

const create = z
  .object({
    name: anyText('name', tokenNameMax).default(''),
    scope: oneOf('scope', ['workspace', 'project']).default('workspace'),
    role: oneOf('role', workspaceRoles).optional(),
    project: anyText('project', objectNameMax).optional(),
    environment: anyText('environment', environmentNameMax).optional(),
    expiresInDays: wholeNumber('expiresInDays', tokenDays.min, tokenDays.max).default(0),
  })
  .refine(({ scope, project, environment }) => scope !== 'project' || (filled(project) && filled(environment)), {
    error: 'project and environment are required for a project token',
  })
  .refine(({ scope, project, environment }) => scope !== 'workspace' || (!filled(project) && !filled(environment)), {
    error: 'project and environment apply to project tokens only',
  })
  .refine(({ scope, role }) => scope !== 'project' || role === undefined, {
    error: 'role applies to workspace tokens only',
  })

const service = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  source: z.string(),
  ready: z.boolean(),
  pendingChanges: z.number(),
})

export const tokenOperations = {
  'tokens.list': operation({
    summary: 'List API tokens, newest first',
    tag,
    access: 'adminSession',
    v1: { method: 'GET', path: '/tokens' },
    dashboard: { method: 'GET', path: '/api/tokens' },
    params: z.object({ project: anyText('project', objectNameMax).optional() }),
    view: z.object({ items: z.array(tokenRecordView) }),
  }),
  'tokens.create': operation({
    summary: 'Create an API token; its value is shown once',
    tag,
    access: 'adminSession',
    v1: { method: 'POST', path: '/tokens' },
    dashboard: { method: 'POST', path: '/api/tokens/create' },
    params: create,
    view: okView.extend({ token: z.string(), item: tokenRecordView }),
  }),
  'tokens.revoke': operation({
    summary: 'Revoke an API token',
    tag,
    access: 'adminSession',
    v1: { method: 'DELETE', path: '/tokens/{id}' },
    dashboard: { method: 'POST', path: '/api/tokens/revoke' },
    params: z.object({ id: resourceName('id') }),
    view: okView,
  }),
  'tokens.self': operation({
    summary: 'Read the calling token',
    tag,
    access: 'anyToken',
    dashboard: { method: 'GET', path: '/api/token', projectToken: true },
    params: noParams,
    view: tokenRecordView,
  }),
  'tokens.services': operation({
    summary: 'List the services a token can see',
    tag,
    access: 'anyToken',
    v1: { method: 'GET', path: '/token/services', projectToken: true },
    dashboard: { method: 'GET', path: '/api/token/services', projectToken: true },
    params: z.object({
      project: anyText('project', objectNameMax).optional(),
      environment: anyText('environment', environmentNameMax).optional(),
    }),
    view: z.object({ project: z.string(), environment: z.string(), services: z.array(service) }),
  }),
  'tokens.deploy': operation({
    summary: "Deploy every pending change in the token's environment",
    tag,
    access: 'projectTokenOnly',
    v1: { method: 'POST', path: '/token/deploy', projectToken: true },
    dashboard: { method: 'POST', path: '/api/token/deploy', projectToken: true },
    params: noParams,
    view: okView.extend({ deployed: z.number() }),
  }),
} as const
