/** Operations on the outgoing webhooks of a project: save, delete, rotate the signing secret, test, deliver again. */
import { z } from 'zod'
import { anyText, flag, list, oneOf, resourceName, runId, text } from '../fields/fields.ts'
import { webhookIdMax, webhookUrlMax } from '../limits.ts'
import { okView, operation } from '../operation.ts'
import { webhookEvents } from '../fields/words.ts'

const tag = 'Projects'
const project = resourceName('project')
const id = () => text('id', { max: webhookIdMax })

const delivery = z.object({
  id: z.string().meta({ description: 'The webhook-id header that was sent.' }),
  event: z.string().meta({ description: 'The type in the body: webhook.test.' }),
  at: z.string().meta({ description: 'When it was sent, RFC 3339.' }),
  status: z.number().optional().meta({ description: 'HTTP status of the answer, when there was one.' }),
  error: z.string().optional().meta({ description: 'Why it failed, when it did.' }),
})

export const webhookOperations = {
  'projects.webhooks-save': operation({
    summary: 'Create or change an outgoing webhook',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/webhooks/save' },
    params: z.object({
      project,
      id: anyText('id', webhookIdMax)
        .optional()
        .meta({ description: 'The webhook to change; without it one is created.' }),
      url: text('url', { max: webhookUrlMax })
        .optional()
        .meta({ description: 'Where events are sent; http or https.' }),
      event: list(oneOf('event', webhookEvents), 'event must be a list of events')
        .optional()
        .meta({ description: 'Events that are sent; none means every one of deploys.' }),
      disabled: flag('disabled').optional().meta({ description: 'Send nothing for now.' }),
    }),
    view: okView.extend({
      id: z.string(),
      secret: z.string().optional().meta({ description: 'The signing secret, when one was made; shown once.' }),
    }),
  }),
  'projects.webhooks-delete': operation({
    summary: 'Delete an outgoing webhook',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/webhooks/delete' },
    params: z.object({ project, id: id() }),
    view: okView,
  }),
  'projects.webhooks-rotate': operation({
    summary: 'Replace the signing secret of an outgoing webhook',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/webhooks/rotate' },
    params: z.object({ project, id: id() }),
    view: okView.extend({ id: z.string(), secret: z.string() }),
  }),
  'projects.webhooks-test': operation({
    summary: 'Send a test delivery',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/webhooks/test' },
    params: z.object({ project, id: id() }),
    view: z.object({ ok: z.boolean(), delivery }),
  }),
  'projects.webhooks-redeliver': operation({
    summary: 'Deliver an event to its webhook again',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/projects/{project}/webhooks/redeliver' },
    params: z.object({
      project,
      run: runId().meta({ description: 'The run of the delivery, as the list of runs has it.' }),
    }),
    view: okView.extend({ run: z.string().meta({ description: 'The run that delivers it again.' }) }),
  }),
} as const
