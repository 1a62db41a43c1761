/** Operations of the platform itself: version, me, OpenAPI, the change stream, and the dashboard's first read. */
import { z } from 'zod'
import { noParams, operation, serverEvents } from '../operation.ts'
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
    params: noParams,
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
} as const
