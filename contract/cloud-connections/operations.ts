/** Cloud connections: the account of a project at a cloud. */
import { z } from 'zod'
import { withFieldOptions, matching, oneOf, region, resourceName, text } from '../fields/fields.ts'
import { connectionNameMax, objectNameMax } from '../limits.ts'
import { noParams, okView, operation } from '../operation.ts'
import { dnsLabel } from '../fields/patterns.ts'

const key = (name: string) => withFieldOptions(text(name), { secret: true }).optional()

export const cloudConnectionOperations = {
  'cloud-connections.list': operation({
    summary: 'List the cloud connections of all projects, oldest first, with what the last check said; never keys',
    tag: 'Cluster',
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/cloud-connections' },
    params: noParams,
    view: z.object({
      items: z.array(
        z.object({
          name: z.string(),
          project: z.string(),
          provider: z.string(),
          account: z.string().meta({ description: 'As the cloud calls it; empty before the first check.' }),
          ready: z.boolean(),
          reason: z.string().meta({ description: 'Of the last check; NotChecked before the first.' }),
          message: z.string(),
          createdAt: z.string(),
        }),
      ),
    }),
  }),
  'cloud-connections.create': operation({
    summary: 'Connect a project to a cloud account',
    tag: 'Cluster',
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/cloud-connections/create' },
    params: z.object({
      name: matching(
        dnsLabel,
        `name must use lowercase letters, digits, and hyphens, up to ${connectionNameMax} characters`,
        connectionNameMax,
      ),
      provider: oneOf('provider', ['AWS', 'PlanetScale']).default('AWS'),
      project: resourceName('project'),
      accessKeyId: key('accessKeyId'),
      secretAccessKey: key('secretAccessKey'),
      region: region().default(''),
      token: key('token'),
      organization: text('organization', { max: objectNameMax }).optional(),
    }),
    view: okView,
  }),
} as const
