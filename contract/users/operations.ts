/** Operations on the users of the dashboard: who may sign in with a password, and as what. */
import { z } from 'zod'
import { anyText, confirmName, withFieldOptions, matching, oneOf, resourceName } from '../fields/fields.ts'
import { passwordMax, passwordMin, usernameMax } from '../limits.ts'
import { noParams, okView, operation } from '../operation.ts'
import { refusals } from '../problem.ts'
import { userRoles } from '../fields/words.ts'

const tag = 'Sign-in and tokens'

const userView = z.object({ username: z.string(), role: z.enum(userRoles) })

const newName = () =>
  matching(
    /^[A-Za-z0-9][\w.@+-]*$/,
    'username must be letters, digits and any of . _ @ + -, and begin with a letter or digit',
    usernameMax,
  )
const username = resourceName('username')
const newPassword = (name: string) =>
  withFieldOptions(
    z
      .string(refusals.passwordLength)
      .min(passwordMin, refusals.passwordLength)
      .max(passwordMax, `${name} must be at most ${passwordMax} characters`),
    {
      secret: true,
    },
  )
const role = () => oneOf('role', userRoles)

export const userOperations = {
  'users.list': operation({
    summary: 'List the users who may sign in with a password',
    tag,
    access: 'adminSession',
    v1: { method: 'GET', path: '/users' },
    dashboard: { method: 'GET', path: '/api/users' },
    params: noParams,
    view: z.object({ items: z.array(userView) }),
  }),
  'users.create': operation({
    summary: 'Add a user',
    tag,
    access: 'adminSession',
    v1: { method: 'POST', path: '/users' },
    dashboard: { method: 'POST', path: '/api/users/create' },
    params: z.object({ username: newName(), password: newPassword('password'), role: role().default('viewer') }),
    view: okView.extend({ item: userView }),
  }),
  'users.set-password': operation({
    summary: 'Give a user another password; ends their sessions',
    tag,
    access: 'adminSession',
    v1: { method: 'POST', path: '/users/{username}/password' },
    dashboard: { method: 'POST', path: '/api/users/{username}/password' },
    params: z.object({ username, password: newPassword('password') }),
    view: okView,
  }),
  'users.set-role': operation({
    summary: 'Give a user another role; ends their sessions',
    tag,
    access: 'adminSession',
    v1: { method: 'POST', path: '/users/{username}/role' },
    dashboard: { method: 'POST', path: '/api/users/{username}/role' },
    params: z.object({ username, role: role() }),
    view: okView.extend({ item: userView }),
  }),
  'users.remove': operation({
    summary: 'Remove a user; ends their sessions. Tokens they made stay',
    tag,
    access: 'adminSession',
    v1: { method: 'DELETE', path: '/users/{username}' },
    dashboard: { method: 'POST', path: '/api/users/{username}/delete' },
    params: z.object({ username, confirmName: confirmName() }),
    view: okView.extend({ tokens: z.number() }),
  }),
  'users.change-password': operation({
    summary: 'Change the password of the signed-in user; ends their other sessions',
    tag,
    access: 'viewer',
    v1: { method: 'POST', path: '/me/password' },
    dashboard: { method: 'POST', path: '/api/me/password' },
    params: z.object({
      currentPassword: withFieldOptions(anyText('currentPassword', passwordMax).default(''), { secret: true }),
      newPassword: newPassword('newPassword'),
    }),
    view: okView,
  }),
} as const
