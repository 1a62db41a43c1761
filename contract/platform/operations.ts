/** Operations of the platform itself: version, me, OpenAPI, the change stream, and the dashboard's first read. */
import { z } from 'zod'
import { flag, withFieldOptions, matching, oneOf, text } from '../fields/fields.ts'
import { requestBodyBytes } from '../limits.ts'
import { noParams, okView, operation, serverEvents } from '../operation.ts'
import * as views from './views.ts'

const tag = 'General'

export const platformOperations = {
  'platform.version': operation({
    summary: 'Read the version of the API',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/version', projectToken: true },
    params: noParams,
    view: views.versionView,
  }),
  'platform.me': operation({
    summary: 'Read who is calling',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/me', projectToken: true },
    params: noParams,
    view: views.meView,
  }),
  'platform.openapi': operation({
    summary: 'Read this document',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/openapi.json' },
    params: noParams,
    view: z.record(z.string(), z.unknown()),
  }),
  'platform.events': operation({
    summary: 'Follow changes as server-sent events',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/events' },
    dashboard: { method: 'GET', path: '/api/events' },
    stream: true,
    params: z.object({
      parts: flag('parts').optional().meta({ description: 'Say of an update what it left as it was.' }),
    }),
    view: serverEvents,
  }),
  'platform.bootstrap': operation({
    summary: 'Read everything a dashboard starts from',
    tag,
    access: 'viewer',
    dashboard: { method: 'GET', path: '/api/bootstrap' },
    params: noParams,
    view: views.bootstrapView,
  }),
  'platform.warnings': operation({
    summary: 'Read what an overview warns of: capacity, domain, DNS provider, high availability',
    tag,
    access: 'viewer',
    dashboard: { method: 'GET', path: '/api/platform/warnings' },
    params: noParams,
    view: views.platformWarningsView,
  }),
  'platform.backup': operation({
    summary: 'Back up what svc itself keeps, sealed to a public key of age',
    tag,
    access: 'adminSession',
    dashboard: { method: 'POST', path: '/api/platform/backup' },
    params: z.object({
      recipient: matching(/^age1[02-9ac-hj-np-z]{58}$/, 'recipient must be a public key of age, such as age1…', 62),
    }),
    view: views.platformBackupView,
  }),
  'platform.restore': operation({
    summary: 'Bring a part of such a backup back into an empty cluster; harmless to repeat',
    tag,
    access: 'adminSession',
    dashboard: { method: 'POST', path: '/api/platform/restore' },
    params: z.object({
      backup: matching(/^[0-9a-f]{16}$/, 'backup must be the id of a backup, 16 hexadecimal digits', 16),
      step: oneOf('step', ['records', 'start']),
      entries: withFieldOptions(text('entries', { max: requestBodyBytes }), { secret: true }),
    }),
    view: okView.extend(views.restoredPart.shape),
  }),
} as const
