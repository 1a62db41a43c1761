/** Operations on the logs of a project: live, as a stream, and out of the stored history. */
import { z } from 'zod'
import { objectNameMax } from '../limits.ts'
import { anyText, resourceName } from '../fields/fields.ts'
import { historyQuery, historyView, logQuery, logsView } from '../fields/logs.ts'
import { operation, serverEvents } from '../operation.ts'

const tag = 'Projects'
const access = 'observer'

/** Without an environment every one counts, without a service all of them; an empty text is none. */
const place = {
  project: resourceName('project'),
  environment: anyText('environment', objectNameMax).optional(),
  service: anyText('service', objectNameMax).optional(),
}

export const projectLogOperations = {
  'projects.logs': operation({
    summary: 'Read recent log lines of all services',
    tag,
    access,
    v1: { method: 'GET', path: '/projects/{project}/logs' },
    dashboard: { method: 'GET', path: '/api/projects/{project}/logs' },
    params: z.object({ ...place, ...logQuery }),
    view: logsView,
  }),
  'projects.logs-stream': operation({
    summary: 'Follow the logs of all services',
    tag,
    access,
    v1: { method: 'GET', path: '/projects/{project}/logs/stream' },
    dashboard: { method: 'GET', path: '/api/projects/{project}/logs/stream' },
    stream: true,
    params: z.object({ ...place, ...logQuery }),
    view: serverEvents,
  }),
  'projects.logs-history': operation({
    summary: 'Read stored log lines',
    tag,
    access,
    v1: { method: 'GET', path: '/projects/{project}/logs/history' },
    dashboard: { method: 'GET', path: '/api/projects/{project}/logs/history' },
    params: z.object({ ...place, ...historyQuery }),
    view: historyView,
  }),
} as const
