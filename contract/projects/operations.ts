/** Operations on projects: list, settings, environments, deploy and shared variables. */
import { z } from 'zod'
import { anyText, confirmName, environmentName, flag, hinted, list, matching, resourceName, text, variableName } from '../fields.ts'
import { displayNameMax, nodeTagNameMax } from '../limits.ts'
import { okView, operation } from '../operation.ts'
import { refusals } from '../problem.ts'
import { detailView, summariesView } from '../resource-views.ts'
import { webhookOperations } from './webhooks.ts'
import { projectLogOperations } from './log-operations.ts'

const tag = 'Projects'
const project = resourceName('project')

/** Regions are node tags in all but name. */
const region = () =>
  matching(/^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'region must use lowercase letters, digits, and hyphens, up to 40 characters', nodeTagNameMax)

const deployedCount = okView.extend({ deployed: z.number() })

export const projectOperations = {
  'projects.list': operation({
    summary: 'List projects',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/projects' },
    params: z.object({}),
    view: summariesView,
  }),
  'projects.create': operation({
    summary: 'Create a project with the environment production',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/projects' },
    dashboard: { method: 'POST', path: '/api/projects/create' },
    status: 201,
    params: z.object({ region: region().optional() }),
    view: z.object({ project: z.string() }),
  }),
  'projects.get': operation({
    summary: 'Read a project',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/projects/{project}' },
    params: z.object({ project }),
    view: detailView,
  }),
  'projects.settings-save': operation({
    summary: 'Rename a project, set its environments and region',
    tag,
    access: 'admin',
    v1: { method: 'PATCH', path: '/projects/{project}' },
    dashboard: {
      method: 'POST',
      path: '/api/projects/{project}/settings/save',
      required: { displayName: 'displayName is required', environments: refusals.lastEnvironment },
    },
    params: z.object({
      project,
      displayName: text('displayName', { max: displayNameMax }).optional(),
      environments: list(environmentName(), 'environments must be a list of names')
        .min(1, { error: refusals.lastEnvironment })
        .refine((names) => new Set(names).size === names.length, { error: 'environment names must be unique' })
        .optional(),
      region: region().optional(),
    }),
    view: okView,
  }),
  'projects.settings-delete': operation({
    summary: 'Delete a project and everything in it',
    tag,
    access: 'admin',
    v1: { method: 'DELETE', path: '/projects/{project}' },
    dashboard: { method: 'POST', path: '/api/projects/{project}/settings/delete' },
    params: z.object({ project, confirmName: confirmName() }),
    view: okView,
  }),
  'projects.deploy': operation({
    summary: 'Deploy every pending change of an environment',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/projects/{project}/deploy', required: { environment: 'environment is required' } },
    dashboard: { method: 'POST', path: '/api/projects/{project}/deploy' },
    params: z.object({ project, environment: environmentName().optional() }),
    view: deployedCount,
  }),
  'projects.environments-create': operation({
    summary: 'Add an environment',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/projects/{project}/environments' },
    dashboard: { method: 'POST', path: '/api/projects/{project}/environments/create' },
    params: z.object({ project, environment: environmentName() }),
    view: okView,
  }),
  'projects.environments-archive': operation({
    summary: 'Delete an environment and its contents',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/environments/archive' },
    params: z.object({ project, environment: environmentName(), confirmName: confirmName() }),
    view: okView.extend({ deleted: z.number() }),
  }),
  'projects.variables-save': operation({
    summary: 'Create or update a shared variable',
    tag,
    access: 'admin',
    v1: {
      method: 'POST',
      path: '/projects/{project}/variables/save',
      required: { value: 'value is required' },
    },
    dashboard: { method: 'POST', path: '/api/projects/{project}/variables/save' },
    params: z.object({
      project,
      name: variableName(),
      environment: environmentName().optional(),
      value: hinted(anyText('value').default(''), { secret: true }),
      secret: flag('secret').optional(),
    }),
    view: okView,
  }),
  'projects.variables-delete': operation({
    summary: 'Delete a shared variable',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/variables/delete' },
    params: z.object({ project, name: variableName(), environment: environmentName().optional() }),
    view: okView,
  }),
  ...webhookOperations,
  ...projectLogOperations,
} as const
