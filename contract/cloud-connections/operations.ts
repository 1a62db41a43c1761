/** Cloud connections: the account of a project at a cloud. */
import { z } from 'zod'
import { hinted, matching, oneOf, region, resourceName, text } from '../fields/fields.ts'
import { connectionNameMax } from '../limits.ts'
import { okView, operation } from '../operation.ts'
import { dnsLabel } from '../fields/patterns.ts'

const key = (name: string) => hinted(text(name), { secret: true }).optional()

export const cloudConnectionOperations = {
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
      organization: text('organization', { max: 253 }).optional(),
    }),
    view: okView,
  }),
} as const
