/** Tools about the caller, the projects and the cluster. */
import { z } from 'zod'
import { operations } from '../../contract/operations.ts'
import { projectId } from '../tool/arguments.ts'
import { defineTool } from '../tool/tool.ts'

export const platformTools = [
  defineTool({
    name: 'whoami',
    title: 'Who am I',
    description:
      'Shows who this connection is signed in as: role (admin, observer, viewer or project), whether it may change ' +
      'things, when the token expires, and for a project token its project and environment. Takes no arguments. ' +
      'Use it first when it is unclear what you may do; a tool that is not listed is one you may not use.',
    effect: 'read',
    operations: ['platform.me'],
    input: z.strictObject({}),
    output: operations['platform.me'].view,
    run: async (_args, { client, signal }) => await client.call('platform.me', {}, { signal }),
  }),
  defineTool({
    name: 'list_projects',
    title: 'List projects',
    description:
      'Lists all projects with their ID (proj-1a2b3c4d), display name and environments. Other tools take the ID as ' +
      '`project`, never the display name. Not for what runs in a project: use list_apps, list_databases, list_buckets.',
    effect: 'read',
    operations: ['projects.list'],
    input: z.strictObject({}),
    output: operations['projects.list'].view,
    run: async (_args, { client, signal }) => await client.call('projects.list', {}, { signal }),
  }),
  defineTool({
    name: 'project_compliance',
    title: 'Show the compliance of a project',
    description:
      'Shows the node tags that a project requires, whether each of its databases is on nodes with them, and which ' +
      'such nodes let other projects in. Only needed for questions about where a project may run.',
    effect: 'read',
    operations: ['projects.compliance'],
    input: z.strictObject({ project: projectId() }),
    output: operations['projects.compliance'].view,
    run: async ({ project }, { client, signal }) => await client.call('projects.compliance', { project }, { signal }),
  }),
  defineTool({
    name: 'list_nodes',
    title: 'List nodes',
    description:
      'Lists the machines of the cluster: whether each is ready, region, zone, tags, and how much CPU and memory it ' +
      'offers in total. Useful when a service waits for capacity. Not for what a service uses: use app_metrics.',
    effect: 'read',
    operations: ['nodes.list'],
    input: z.strictObject({}),
    output: operations['nodes.list'].view,
    run: async (_args, { client, signal }) => await client.call('nodes.list', {}, { signal }),
  }),
]
