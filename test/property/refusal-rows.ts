/** The refusals of the limits (docs/reference/limits.md), line by line, with the sentence of the answer. */
import { requestBodyBytes } from '../../contract/limits.ts'
import type { Answer, Asked, TestApi } from '../api/test-api.ts'

export interface World {
  readonly api: TestApi
  readonly admin: Asked
  readonly cookie: Asked
  readonly observer: Asked
  readonly viewer: Asked
  readonly projectToken: Asked
  readonly project: string
  readonly app: string
  readonly fn: string
  readonly foreign: string
}

/** The request, and the status and sentence of its answer. */
type Row = readonly [
  line: string,
  ask: (world: World) => Promise<Answer>,
  status: number,
  code: string,
  sentence: string,
]

export const json = (who: Asked, body: object): Asked => ({ ...who, json: body })
const patch =
  (fields: object) =>
  ({ api, admin, app }: World) =>
    api.ask('PATCH', `/api/v1/apps/${app}`, json(admin, fields))
const post =
  (path: string, fields: object = {}) =>
  ({ api, admin, app, project, fn }: World) =>
    api.ask(
      'POST',
      `/api/v1${path.replace('{app}', app).replace('{project}', project).replace('{fn}', fn)}`,
      json(admin, fields),
    )
const get =
  (path: string) =>
  ({ api, admin, app }: World) =>
    api.ask('GET', `/api/v1${path.replace('{app}', app)}`, admin)
const schedules = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `s${index}`, schedule: '@daily' }))

const invalid = [400, 'invalid_request'] as const
export const rows: readonly Row[] = [
  [
    'Limits: Request body 2 MiB',
    ({ api, admin }) =>
      api.ask('POST', '/api/v1/projects', { ...admin, raw: { body: 'x'.repeat(requestBodyBytes + 1) } }),
    413,
    'too_large',
    'request body is larger than 2 MiB',
  ],
  [
    'Limits: Token lifetime 0 to 3650',
    ({ api, cookie }) => api.ask('POST', '/api/v1/tokens', json(cookie, { expiresInDays: 3651 })),
    ...invalid,
    'expiresInDays must be a whole number from 0 to 3650',
  ],
  [
    'Limits: Token lifetime at approval',
    ({ api, cookie }) =>
      api.ask('POST', '/api/v1/auth/device/approve', json(cookie, { userCode: 'BCDF-GHJK', expiresInDays: -1 })),
    ...invalid,
    'expiresInDays must be a whole number from 0 to 3650',
  ],
  [
    'Limits: Device client name up to 60',
    post('/auth/device', { clientName: 'x'.repeat(61) }),
    ...invalid,
    'clientName must be at most 60 characters',
  ],
  [
    'Limits: Replicas 0 to 1000, scale',
    post('/apps/{app}/scale', { replicas: 1001 }),
    ...invalid,
    'replicas must be a whole number from 0 to 1000',
  ],
  [
    'Limits: Replicas below 0',
    post('/apps/{app}/scale', { replicas: -1 }),
    ...invalid,
    'replicas must be a whole number from 0 to 1000',
  ],
  [
    'Limits: Replicas, no whole number',
    post('/apps/{app}/scale', { replicas: 1.5 }),
    ...invalid,
    'replicas must be a whole number from 0 to 1000',
  ],
  [
    'Limits: Replicas, left out',
    post('/apps/{app}/scale'),
    ...invalid,
    'replicas must be a whole number from 0 to 1000',
  ],
  [
    'Limits: Replicas, settings',
    patch({ replicas: 'many' }),
    ...invalid,
    'replicas must be a whole number from 0 to 1000',
  ],
  [
    'Limits: Sleep-when-idle above 86400',
    patch({ idleSeconds: 86_401 }),
    ...invalid,
    'idle_seconds must be between 30 and 86400',
  ],
  [
    'Limits: Sleep-when-idle below 30',
    patch({ idleSeconds: 29 }),
    ...invalid,
    'idle_seconds must be between 30 and 86400',
  ],
  [
    'Limits: Function schedules 8',
    ({ api, admin, fn }) => api.ask('PATCH', `/api/v1/apps/${fn}`, json(admin, { functionTriggers: schedules(9) })),
    ...invalid,
    'a function can have at most 8 schedules',
  ],
  [
    'Limits: Log tail above 1000',
    get('/apps/{app}/logs?tail=1001'),
    ...invalid,
    'tail must be a whole number from 1 to 1000',
  ],
  [
    'Limits: Log tail below 1',
    get('/apps/{app}/logs?tail=0'),
    ...invalid,
    'tail must be a whole number from 1 to 1000',
  ],
  [
    'Limits: log since up to 7 days',
    get('/apps/{app}/logs?since=8d'),
    ...invalid,
    'since must be a duration such as 15m, 2h, or 7d, at most 7 days',
  ],
  [
    'Limits: log since of nothing',
    get('/apps/{app}/logs?since=0s'),
    ...invalid,
    'since must be a duration such as 15m, 2h, or 7d, at most 7 days',
  ],
  [
    'Limits: log search up to 200',
    get(`/apps/{app}/logs?q=${'x'.repeat(201)}`),
    ...invalid,
    'q must be at most 200 characters',
  ],
  [
    'Limits: Environment name, a DNS label',
    post('/projects/{project}/environments', { environment: 'Über' }),
    ...invalid,
    'environment must be a lowercase DNS label',
  ],
  [
    'Limits: project ID plus environment 63',
    post('/projects/{project}/environments', { environment: 'e'.repeat(50) }),
    ...invalid,
    'project ID plus environment name must be at most 63 characters',
  ],
  [
    'Errors 400: a non-object body',
    ({ api, admin }) => api.ask('POST', '/api/v1/projects', json(admin, ['a'])),
    ...invalid,
    'request body must be a JSON object',
  ],
  [
    'Errors 400: a verb with no mapping',
    ({ api, admin }) => api.ask('PUT', '/api/v1/nodes/n1', json(admin, {})),
    ...invalid,
    'PUT is not supported on this path',
  ],
  [
    'Errors 400: the last environment',
    ({ api, admin, project }) =>
      api.ask(
        'POST',
        `/api/v1/projects/${project}/environments/archive`,
        json(admin, { environment: 'production', confirmName: 'production' }),
      ),
    ...invalid,
    'a project must retain at least one environment',
  ],
  [
    'Errors 400: no environments at all',
    ({ api, admin, project }) => api.ask('PATCH', `/api/v1/projects/${project}`, json(admin, { environments: '' })),
    ...invalid,
    'a project must retain at least one environment',
  ],
  [
    'Errors 400: a variable name, plain',
    post('/apps/{app}/config/set', { key: 'lower', value: '1' }),
    ...invalid,
    'variable name must use uppercase letters, numbers, and underscores',
  ],
  [
    'Errors 400: a variable name, secret',
    post('/apps/{app}/secrets/set', { key: '1A', value: '1' }),
    ...invalid,
    'variable name must use uppercase letters, numbers, and underscores',
  ],
  [
    'Errors 400: a variable name, shared',
    post('/projects/{project}/variables/save', { name: '', value: '1' }),
    ...invalid,
    'variable name must use uppercase letters, numbers, and underscores',
  ],
  [
    'Errors 400: a variable name, many at once',
    post('/apps/{app}/config/raw', { config: 'lower=1' }),
    ...invalid,
    'variable name must use uppercase letters, numbers, and underscores',
  ],
  [
    'Errors 400: confirmation of a service',
    ({ api, admin, app }) => api.ask('DELETE', `/api/v1/apps/${app}?confirmName=other`, admin),
    ...invalid,
    'confirmation did not match the resource name',
  ],
  [
    'Errors 400: no confirmation of a project',
    ({ api, admin, project }) => api.ask('DELETE', `/api/v1/projects/${project}`, admin),
    ...invalid,
    'confirmation did not match the resource name',
  ],
  ['Errors 401: nobody', ({ api }) => api.ask('GET', '/api/v1/me'), 401, 'unauthenticated', 'authentication required'],
  [
    'Errors 401: a token that fails, with a good cookie',
    ({ api, cookie }) => api.ask('GET', '/api/v1/me', { ...cookie, token: 'svw_a_b' }),
    401,
    'unauthenticated',
    'invalid or expired API token',
  ],
  [
    'Errors 403: a viewer reads logs',
    ({ api, viewer, app }) => api.ask('GET', `/api/v1/apps/${app}/logs`, viewer),
    403,
    'forbidden',
    'viewer role cannot access this',
  ],
  [
    'Errors 403: an observer attempts a write',
    ({ api, observer, app }) => api.ask('POST', `/api/v1/apps/${app}/deploy`, observer),
    403,
    'forbidden',
    'viewer role cannot access this',
  ],
  [
    'Errors 403: a project token outside its endpoints',
    ({ api, projectToken }) => api.ask('GET', '/api/v1/projects', projectToken),
    403,
    'forbidden',
    'this token cannot access that endpoint',
  ],
  [
    'Errors 403: a project token, a path nobody has',
    ({ api, projectToken }) => api.ask('GET', '/api/v1/nodes', projectToken),
    403,
    'forbidden',
    'this token cannot access that endpoint',
  ],
  [
    'Errors 403: an admin token makes a token',
    ({ api, admin }) => api.ask('POST', '/api/v1/tokens', json(admin, {})),
    403,
    'forbidden',
    'this token cannot access that endpoint',
  ],
  [
    'Errors 403: a token limited to another project',
    ({ api, projectToken, app }) =>
      api.ask('PATCH', `/api/v1/apps/${app}`, json(projectToken, { environment: 'elsewhere' })),
    403,
    'forbidden',
    'this token is limited to another project or environment',
  ],
  [
    'Errors 404: a service that a project token cannot see',
    ({ api, projectToken, foreign }) => api.ask('GET', `/api/v1/apps/${foreign}`, projectToken),
    404,
    'not_found',
    'app not found',
  ],
  ['Errors 404: a route that is not there', get('/nothing'), 404, 'not_found', 'not found'],
  [
    'Errors 404: a token that is not there',
    ({ api, cookie }) => api.ask('DELETE', '/api/v1/tokens/none', cookie),
    404,
    'not_found',
    'token was not found',
  ],
  [
    'Errors 405: a method that the path does not take',
    ({ api, admin }) => api.ask('POST', '/api/v1/version', json(admin, {})),
    405,
    'method_not_allowed',
    'method not allowed',
  ],
  [
    'Device flow: an unknown code',
    post('/auth/token', { deviceCode: 'f'.repeat(64) }),
    400,
    'expired_token',
    'the sign-in request is unknown or has expired; start again',
  ],
  [
    'Authentication 2: no origin',
    ({ api, cookie }) => api.ask('POST', '/api/v1/projects', { ...json(cookie, {}), headers: { referer: '' } }),
    ...invalid,
    'request origin could not be verified',
  ],
  [
    'Conversion rule 2: a list of lists',
    post('/apps', { functionTriggers: [[{ name: 'a' }]] }),
    ...invalid,
    'functionTriggers must not be a list of lists',
  ],
  [
    'Projects: an existing environment is 400',
    post('/projects/{project}/environments', { environment: 'production' }),
    ...invalid,
    'the environment production already exists',
  ],
  ['Projects: environment* of deploy', post('/projects/{project}/deploy'), ...invalid, 'environment is required'],
  [
    'Projects: value* of a variable',
    post('/projects/{project}/variables/save', { name: 'A' }),
    ...invalid,
    'value is required',
  ],
  [
    'Services: draft and deploy together',
    ({ api, admin, project }) =>
      api.ask('POST', '/api/v1/apps', json(admin, { project, environment: 'production', draft: true, deploy: true })),
    ...invalid,
    'draft and deploy cannot be used together',
  ],
  [
    'Services: functions cannot be rolled back',
    post('/apps/{fn}/rollback', { revision: 'x' }),
    ...invalid,
    'functions cannot be rolled back; restore the earlier code and deploy again',
  ],
  [
    'Services: a revision of another service',
    async (world) => post('/apps/{app}/rollback', { revision: await revisionOf(world, world.foreign) })(world),
    ...invalid,
    'deployment revision does not belong to app',
  ],
  [
    'Services: a build of a service without one',
    post('/apps/{app}/build'),
    ...invalid,
    'this service has no build yet',
  ],
  [
    'Services: runOnTags with a token',
    patch({ runOnTags: ['gpu'] }),
    403,
    'forbidden',
    'runOnTags can be set by a signed-in admin only, not with a token',
  ],
  [
    'Services: a schedule name',
    post('/apps', { project: 'p', environment: 'e', functionTriggers: [{ name: 'A', schedule: '@daily' }] }),
    ...invalid,
    'a schedule name must use lowercase letters, digits, and dashes, up to 32 characters',
  ],
  [
    'Services: a schedule of words',
    post('/apps', { project: 'p', environment: 'e', functionTriggers: [{ name: 'a', schedule: '0 0 * JAN *' }] }),
    ...invalid,
    'a schedule must be a five-field cron expression or a word such as @hourly',
  ],
  [
    'Services: a schedule path',
    post('/apps', { project: 'p', environment: 'e', functionTriggers: [{ name: 'a', schedule: '@daily', path: 'x' }] }),
    ...invalid,
    'a schedule path must start with /',
  ],
  [
    'Services: a schedule payload',
    post('/apps', {
      project: 'p',
      environment: 'e',
      functionTriggers: [{ name: 'a', schedule: '@daily', payload: '{' }],
    }),
    ...invalid,
    'a schedule payload must be valid JSON',
  ],
  [
    'Dashboard: any token',
    ({ api, cookie }) => api.ask('GET', '/api/v1/token/services', cookie),
    ...invalid,
    'this endpoint needs an API token',
  ],
]

async function revisionOf({ api, admin }: World, app: string): Promise<string> {
  return (await api.ask('GET', `/api/v1/apps/${app}/deployments`, admin)).body.items[0].id
}
