/**
 * Operations on projects: list, settings, environments, deploy, shared variables, compliance, network and what is
 * linked to them.
 */
import { z } from 'zod'
import {
  anyText,
  bucketNameField,
  confirmName,
  environmentName,
  flag,
  withFieldOptions,
  list,
  nodeTag,
  oneOf,
  region,
  resourceName,
  tagList,
  text,
  variableName,
} from '../fields/fields.ts'
import { displayNameMax, networkAllowProjects, requiredTagsPerProject } from '../limits.ts'
import { metricsQuery, metricsView } from '../fields/metrics.ts'
import { okView, operation } from '../operation.ts'
import { refusals } from '../problem.ts'
import { pendingDiffsView } from '../views/pending.ts'
import { detailView, summariesView } from '../views/resource.ts'
import { webhookOperations } from './webhooks.ts'
import { projectGitHostOperations } from './git-host-operations.ts'
import { projectLogOperations } from './log-operations.ts'
import * as views from './views.ts'

const tag = 'Projects'
const project = resourceName('project')

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
  'projects.pending': operation({
    summary: 'Read what is saved and not deployed in an environment',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/projects/{project}/pending' },
    params: z.object({ project, environment: environmentName().optional() }),
    view: pendingDiffsView,
  }),
  'projects.capacity': operation({
    summary: 'Read the capacity that a deploy of what is saved in an environment needs',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/projects/{project}/capacity' },
    params: z.object({ project, environment: environmentName().optional() }),
    view: views.capacityView,
  }),
  'projects.connections': operation({
    summary: 'Read which services of an environment are connected to which databases, buckets and services',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/projects/{project}/connections' },
    params: z.object({ project, environment: environmentName().optional() }),
    view: views.connectionsView,
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
  'projects.metrics': operation({
    summary: 'Read the metrics of a project or of one environment',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/projects/{project}/metrics' },
    dashboard: { method: 'GET', path: '/api/projects/{project}/metrics' },
    params: z.object({ project, environment: environmentName().optional(), ...metricsQuery }),
    view: metricsView,
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
      value: withFieldOptions(anyText('value').default(''), { secret: true }),
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
  ...projectGitHostOperations,
  ...projectLogOperations,
  'projects.compliance-save': operation({
    summary: 'Set the node tags that a project requires',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/projects/{project}/compliance' },
    dashboard: { method: 'POST', path: '/api/projects/{project}/compliance' },
    params: z.object({ project, requiredTags: requiredTags().default([]) }),
    view: okView.extend({ requiredTags: z.array(z.string()) }),
  }),
  'projects.compliance': operation({
    summary: 'Read the required node tags and how far they are kept',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/projects/{project}/compliance' },
    dashboard: { method: 'GET', path: '/api/projects/{project}/compliance' },
    params: z.object({ project }),
    view: views.complianceView,
  }),
  'projects.placement-warnings': operation({
    summary: 'Read what another region or other required tags would bring about, without saving them',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/projects/{project}/placement/warnings' },
    params: z.object({ project, region: region().optional(), requiredTags: requiredTags().default([]) }),
    view: z.object({ refused: z.string().optional(), warnings: z.array(z.string()) }),
  }),
  'projects.network': operation({
    summary: 'Choose who may reach the services of a project',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/projects/{project}/network' },
    dashboard: { method: 'POST', path: '/api/projects/{project}/network' },
    params: z.object({
      project,
      isolation: oneOf('isolation', ['Project', 'None']),
      allowFromProjects: list(
        resourceName('allowFromProjects'),
        `allowFromProjects must be at most ${networkAllowProjects} projects`,
        networkAllowProjects,
      ).default([]),
    }),
    view: okView,
  }),
  'projects.backup-storage': operation({
    summary: 'Choose or clear where backups go',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/backup-storage' },
    params: z.object({
      project,
      connection: resourceName('connection').optional(),
      bucket: bucketNameField().optional(),
      region: region().optional(),
      remove: flag('remove').optional(),
    }),
    view: okView,
  }),
} as const

function requiredTags() {
  return tagList(nodeTag(), `requiredTags must be at most ${requiredTagsPerProject} tags`, requiredTagsPerProject)
}
