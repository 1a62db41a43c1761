/** Operations of signing in: password sessions, and device sign-in for programs without a browser. */
import { z } from 'zod'
import { anyText, flag, withFieldOptions, oneOf, resourceName, text, wholeNumber } from '../fields/fields.ts'
import { deviceClientNameMax, deviceTokenDays, passwordMax, tokenDays, usernameMax } from '../limits.ts'
import { noParams, okView, operation } from '../operation.ts'
import { tokenRecordView } from '../views/token-record.ts'
import { userRoles, workspaceRoles } from '../fields/words.ts'

const tag = 'Sign-in and tokens'

const sessionView = z.object({
  authenticated: z.literal(true),
  username: z.string(),
  role: z.enum(userRoles),
  canMutate: z.boolean(),
})
const deviceStatus = z.enum(['pending', 'approved', 'denied', 'expired'])

export const authOperations = {
  'auth.login': operation({
    summary: 'Sign in with a password',
    tag,
    access: 'public',
    dashboard: { method: 'POST', path: '/api/login' },
    forwarded: false,
    params: z.object({
      username: anyText('username', usernameMax).default(''),
      password: withFieldOptions(anyText('password', passwordMax).default(''), { secret: true }),
    }),
    view: okView.extend(sessionView.shape),
  }),
  'auth.logout': operation({
    summary: 'End every session of the signed-in user',
    tag,
    access: 'public',
    dashboard: { method: 'POST', path: '/api/logout' },
    params: noParams,
    view: okView.extend({ authenticated: z.literal(false) }),
  }),
  'auth.session': operation({
    summary: 'Who is signed in',
    tag,
    access: 'public',
    dashboard: { method: 'GET', path: '/api/session' },
    params: noParams,
    view: z.union([sessionView, z.object({ authenticated: z.literal(false) })]),
  }),
  'auth.device-start': operation({
    summary: 'Start a device sign-in',
    tag,
    access: 'public',
    v1: { method: 'POST', path: '/auth/device' },
    dashboard: { method: 'POST', path: '/api/auth/device' },
    params: z.object({ clientName: anyText('clientName', deviceClientNameMax).default('') }),
    view: z.object({
      deviceCode: z.string(),
      userCode: z.string(),
      verificationUri: z.string(),
      verificationUriComplete: z.string(),
      expiresIn: z.number(),
      interval: z.number(),
    }),
  }),
  'auth.device-token': operation({
    summary: 'Poll for the token of a device sign-in',
    tag,
    access: 'public',
    v1: { method: 'POST', path: '/auth/token' },
    dashboard: { method: 'POST', path: '/api/auth/token' },
    params: z.object({ deviceCode: withFieldOptions(resourceName('deviceCode'), { secret: true }) }),
    view: z.object({
      token: z.string(),
      tokenType: z.literal('Bearer'),
      role: z.string(),
      approvedBy: z.string(),
      expiresAt: z.string().nullable(),
    }),
  }),
  'auth.device-read': operation({
    summary: 'Read a pending device sign-in by its user code',
    tag,
    access: 'adminSession',
    v1: { method: 'GET', path: '/auth/device/{code}' },
    dashboard: { method: 'GET', path: '/api/auth/device/{code}' },
    params: z.object({ code: resourceName('code') }),
    view: z.object({ userCode: z.string(), clientName: z.string(), status: deviceStatus, expiresIn: z.number() }),
  }),
  'auth.device-approve': operation({
    summary: 'Approve or refuse a device sign-in',
    tag,
    access: 'adminSession',
    v1: { method: 'POST', path: '/auth/device/approve' },
    dashboard: { method: 'POST', path: '/api/auth/device/approve' },
    params: z.object({
      userCode: text('userCode', { max: 50 }),
      role: oneOf('role', workspaceRoles).default('observer'),
      expiresInDays: wholeNumber('expiresInDays', tokenDays.min, tokenDays.max).default(deviceTokenDays),
      deny: flag('deny').optional(),
    }),
    view: z.union([okView.extend({ item: tokenRecordView }), okView.extend({ denied: z.literal(true) })]),
  }),
} as const
