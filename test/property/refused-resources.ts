/** The refusals of requests about projects and services, with the sentence of the answer. */
import { invalid, json, patch, post, type Row, type World } from './refusal-row.ts'

export const refusedOfResources: readonly Row[] = [
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
