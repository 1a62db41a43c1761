/** Operations on what links a project to a git host: the connection and pull-request environments. */
import { z } from 'zod'
import { environmentName, flag, matching, resourceName, text, wholeNumber } from '../fields/fields.ts'
import { commitHash, repositoryName } from '../fields/patterns.ts'
import { pullRequestEnvironments, pullRequestNumberMax, repositoryNameMax } from '../limits.ts'
import { okView, operation } from '../operation.ts'
import * as views from './views.ts'

const tag = 'Projects'
const project = resourceName('project')

export const projectGitHostOperations = {
  'projects.pr-environments-save': operation({
    summary: 'Configure pull-request environments',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/pr-environments/save' },
    params: z.object({
      project,
      enabled: flag('enabled').optional(),
      baseEnvironment: environmentName('baseEnvironment').optional(),
      maxOpen: wholeNumber('maxOpen', pullRequestEnvironments.min, pullRequestEnvironments.max).optional(),
    }),
    view: okView,
  }),
  'projects.pr-environments-close': operation({
    summary: 'Delete the environments of a pull request',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/pr-environments/close' },
    params: z.object({
      project,
      number: wholeNumber('number', 1, pullRequestNumberMax, 'number must be the number of a pull request'),
      repository: text('repository'),
    }),
    view: okView.extend({ deleted: z.number() }),
  }),
  'projects.pr-environments-allow': operation({
    summary: 'Allow a commit of a pull request from a fork',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/pr-environments/allow' },
    params: z.object({
      project,
      number: wholeNumber('number', 1, pullRequestNumberMax, 'number must be the number of a pull request'),
      repository: matching(repositoryName, 'repository must be owner/name', repositoryNameMax),
      commit: matching(commitHash, 'commit must be the whole hash of a commit', 64),
    }),
    view: okView,
  }),
  'projects.githost-install': operation({
    summary: 'Begin connecting an environment to a git host',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/githost/install' },
    params: z.object({ project, environment: environmentName().optional() }),
    view: okView.extend({ url: z.string() }),
  }),
  'projects.githost-disconnect': operation({
    summary: 'Unlink an environment from its git host',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/githost/disconnect' },
    params: z.object({ project, environment: environmentName().optional() }),
    view: okView,
  }),
  'projects.githost-repos': operation({
    summary: 'List the repositories a project can build from',
    tag,
    access: 'observer',
    dashboard: { method: 'GET', path: '/api/projects/{project}/githost/repos' },
    params: z.object({ project }),
    view: views.repositoriesView,
  }),
} as const
