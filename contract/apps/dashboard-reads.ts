/** Reads of services that have a path among the dashboard routes alone. */
import { z } from 'zod'
import { resourceName } from '../fields/fields.ts'
import { operation, serverEvents } from '../operation.ts'
import { pendingDiffView } from '../views/pending.ts'
import * as views from './views.ts'

const tag = 'Services'
const app = resourceName('app')
const ofApp = z.object({ app })

export const appDashboardReads = {
  'apps.deployment-changes': operation({
    summary: 'Compare a deployment with another one, or with what runs',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/apps/{app}/deployments/{id}/changes' },
    params: z.object({ app, id: resourceName('id'), from: resourceName('from').optional() }),
    view: views.deploymentChangesView,
  }),
  'apps.deployment-logs-stream': operation({
    summary: 'Follow the log of one deployment until it has ended',
    tag,
    access: 'observer',
    dashboard: { method: 'GET', path: '/api/apps/{app}/deployments/{id}/logs/stream', projectToken: true },
    stream: true,
    params: z.object({ app, id: resourceName('id') }),
    view: serverEvents,
  }),
  'apps.builds': operation({
    summary: 'List the builds of a service, newest first',
    tag,
    access: 'observer',
    dashboard: { method: 'GET', path: '/api/apps/{app}/builds', projectToken: true },
    params: ofApp,
    view: views.buildsView,
  }),
  'apps.copies': operation({
    summary: 'List the copies of a service, with how often and why they were started again',
    tag,
    access: 'observer',
    dashboard: { method: 'GET', path: '/api/apps/{app}/copies' },
    params: ofApp,
    view: views.copiesView,
  }),
  'apps.pending': operation({
    summary: 'Read what a deploy would change, field by field',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/apps/{app}/pending' },
    params: ofApp,
    view: pendingDiffView,
  }),
  'apps.schedules': operation({
    summary: 'List the schedules of a function, with their last and next runs',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/apps/{app}/schedules', projectToken: true },
    params: ofApp,
    view: views.schedulesView,
  }),
} as const
