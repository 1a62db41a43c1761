/** Operations on templates: the catalogue, and making drafts from one. */
import { z } from 'zod'
import { objectNameMax } from '../limits.ts'
import { environmentName, resourceName, text } from '../fields/fields.ts'
import { okView, operation } from '../operation.ts'

const tag = 'Cluster'
const madeResource = z.object({ kind: z.enum(['app', 'database']), name: z.string() })

const templateView = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.string(),
  /** Names within the template. */
  resources: z.array(madeResource),
  /**
   * Of its services: plain ones with their value, secrets that are made up at each deploy, references to a database of
   * it.
   */
  variables: z.array(
    z.object({
      resource: z.string(),
      name: z.string(),
      kind: z.enum(['plain', 'secret', 'reference']),
      value: z.string().optional(),
    }),
  ),
})

export const templateOperations = {
  'templates.list': operation({
    summary: 'List templates',
    tag,
    access: 'observer',
    v1: { method: 'GET', path: '/templates' },
    dashboard: { method: 'GET', path: '/api/templates' },
    params: z.object({}),
    view: z.object({ items: z.array(templateView) }),
  }),
  'templates.deploy': operation({
    summary: 'Make the resources of a template as drafts',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/templates/{template}/deploy' },
    dashboard: { method: 'POST', path: '/api/templates/{template}/deploy' },
    params: z.object({
      template: resourceName('template'),
      project: text('project', { max: objectNameMax }),
      environment: environmentName(),
    }),
    view: okView.extend({ created: z.array(madeResource) }),
  }),
} as const
