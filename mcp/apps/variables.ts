/** The variables of a service; no tool shows the value of a secret one. */
import { z } from 'zod'
import { variableRemoval } from '../../client/apps/changes.ts'
import { operations } from '../../contract/operations.ts'
import { appName, resourceName } from '../tool/arguments.ts'
import { defineTool, ToolError } from '../tool/tool.ts'

const changed = z.object({
  app: z.string(),
  name: z.string(),
  pending: z.array(z.string()).describe('What is saved and waits for a deploy.'),
})

const variable = () => resourceName('Name of the variable: uppercase letters, numbers, and underscores.')

export const variableTools = [
  defineTool({
    name: 'list_variables',
    title: 'List the variables of a service',
    description:
      'Lists the variables of a service: plain ones (`config`) with values, secret ones (`secrets`) by name only, ' +
      'references to databases and buckets (`env`) by name, and the shared variables of the project it takes. What was ' +
      'changed since the last deploy is included. Secret values are never shown, by no tool.',
    effect: 'read',
    operations: ['apps.variables'],
    input: z.strictObject({ app: appName() }),
    output: operations['apps.variables'].view,
    run: async ({ app }, { client, signal }) => await client.call('apps.variables', { app }, { signal }),
  }),
  defineTool({
    name: 'set_variable',
    title: 'Set a variable of a service',
    description:
      'Sets one variable of a service, secret=true for passwords, keys and tokens. It is saved and takes effect with ' +
      'the next deploy_app: set all variables first, then deploy once. Returns the name and what is pending, never the ' +
      'value. Not for the address of a database or bucket of the platform: those are attached.',
    effect: 'idempotent-change',
    operations: ['apps.config-set', 'apps.secrets-set'],
    input: z.strictObject({
      app: appName(),
      name: variable(),
      value: z.string().describe('The value; may be empty.'),
      secret: z.boolean().default(false).describe('Store it as a secret: it is never shown again.'),
    }),
    output: changed,
    run: async ({ app, name, value, secret }, { client, signal }) => {
      const fields = { app, key: name, value }
      const { pending } = secret
        ? await client.call('apps.secrets-set', fields, { signal })
        : await client.call('apps.config-set', fields, { signal })
      return { app, name, pending }
    },
  }),
  defineTool({
    name: 'unset_variable',
    title: 'Take a variable of a service away',
    description:
      'Takes one variable of a service away, whatever kind it is. It is saved and takes effect with the next ' +
      'deploy_app. A secret value cannot be got back afterwards. Not for changing a value: use set_variable.',
    effect: 'destructive-change',
    operations: ['apps.variables', 'apps.config-delete', 'apps.secrets-delete', 'apps.env-delete'],
    input: z.strictObject({ app: appName(), name: variable() }),
    output: changed.omit({ pending: true }).extend({ removed: z.literal(true) }),
    run: async ({ app, name }, { client, signal }) => {
      const variables = await client.call('apps.variables', { app }, { signal })
      const remove = variableRemoval(client, app, name, variables)
      if (remove === undefined) throw new ToolError(`${app} has no variable ${name}`, true)
      await remove(signal)
      return { app, name, removed: true as const }
    },
  }),
]
