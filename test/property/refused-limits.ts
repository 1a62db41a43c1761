/** The refusals of the limits (docs/reference/limits.md), line by line, with the sentence of the answer. */
import { requestBodyBytes } from '../../contract/limits.ts'
import { get, invalid, json, patch, post, type Row } from './refusal-row.ts'

const schedules = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `s${index}`, schedule: '@daily' }))

export const refusedLimits: readonly Row[] = [
  [
    'Limits: Request body 2 MiB',
    ({ api, admin }) =>
      api.ask('POST', '/api/v1/projects', { ...admin, raw: { body: 'x'.repeat(requestBodyBytes + 1) } }),
    413,
    'too_large',
    'request body is larger than 2 MiB',
  ],
  [
    'Limits: Token lifetime 0 to 3650',
    ({ api, cookie }) => api.ask('POST', '/api/v1/tokens', json(cookie, { expiresInDays: 3651 })),
    ...invalid,
    'expiresInDays must be a whole number from 0 to 3650',
  ],
  [
    'Limits: Token lifetime at approval',
    ({ api, cookie }) =>
      api.ask('POST', '/api/v1/auth/device/approve', json(cookie, { userCode: 'BCDF-GHJK', expiresInDays: -1 })),
    ...invalid,
    'expiresInDays must be a whole number from 0 to 3650',
  ],
  [
    'Limits: Device client name up to 60',
    post('/auth/device', { clientName: 'x'.repeat(61) }),
    ...invalid,
    'clientName must be at most 60 characters',
  ],
  [
    'Limits: Replicas 0 to 1000, scale',
    post('/apps/{app}/scale', { replicas: 1001 }),
    ...invalid,
    'replicas must be a whole number from 0 to 1000',
  ],
  [
    'Limits: Replicas below 0',
    post('/apps/{app}/scale', { replicas: -1 }),
    ...invalid,
    'replicas must be a whole number from 0 to 1000',
  ],
  [
    'Limits: Replicas, no whole number',
    post('/apps/{app}/scale', { replicas: 1.5 }),
    ...invalid,
    'replicas must be a whole number from 0 to 1000',
  ],
  [
    'Limits: Replicas, left out',
    post('/apps/{app}/scale'),
    ...invalid,
    'replicas must be a whole number from 0 to 1000',
  ],
  [
    'Limits: Replicas, settings',
    patch({ replicas: 'many' }),
    ...invalid,
    'replicas must be a whole number from 0 to 1000',
  ],
  [
    'Limits: Sleep-when-idle above 86400',
    patch({ idleSeconds: 86_401 }),
    ...invalid,
    'idle_seconds must be between 30 and 86400',
  ],
  [
    'Limits: Sleep-when-idle below 30',
    patch({ idleSeconds: 29 }),
    ...invalid,
    'idle_seconds must be between 30 and 86400',
  ],
  [
    'Limits: Function schedules 8',
    ({ api, admin, fn }) => api.ask('PATCH', `/api/v1/apps/${fn}`, json(admin, { functionTriggers: schedules(9) })),
    ...invalid,
    'a function can have at most 8 schedules',
  ],
  [
    'Limits: Log tail above 1000',
    get('/apps/{app}/logs?tail=1001'),
    ...invalid,
    'tail must be a whole number from 1 to 1000',
  ],
  [
    'Limits: Log tail below 1',
    get('/apps/{app}/logs?tail=0'),
    ...invalid,
    'tail must be a whole number from 1 to 1000',
  ],
  [
    'Limits: log since up to 7 days',
    get('/apps/{app}/logs?since=8d'),
    ...invalid,
    'since must be a duration such as 15m, 2h, or 7d, at most 7 days',
  ],
  [
    'Limits: log since of nothing',
    get('/apps/{app}/logs?since=0s'),
    ...invalid,
    'since must be a duration such as 15m, 2h, or 7d, at most 7 days',
  ],
  [
    'Limits: log search up to 200',
    get(`/apps/{app}/logs?q=${'x'.repeat(201)}`),
    ...invalid,
    'q must be at most 200 characters',
  ],
  [
    'Limits: Environment name, a DNS label',
    post('/projects/{project}/environments', { environment: 'Über' }),
    ...invalid,
    'environment must be a lowercase DNS label',
  ],
  [
    'Limits: project ID plus environment 63',
    post('/projects/{project}/environments', { environment: 'e'.repeat(50) }),
    ...invalid,
    'project ID plus environment name must be at most 63 characters',
  ],
]
