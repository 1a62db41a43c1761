/** `GET /me`: who is calling and what they may do. */
import { canMutate, canReadSensitive } from '../../contract/caller.ts'
import type { Caller } from '../../contract/caller.ts'
import type { View } from '../../contract/operations.ts'
import type { Handler } from '../context/handler.ts'

export const me =
  (): Handler<'platform.me'> =>
  async ({ caller }) =>
    describeCaller(caller)

/** A signed-in caller as the answer shows it. */
export function describeCaller(caller: Caller): View<'platform.me'> {
  const { username, role, scope, project, environment, expiresAt } = caller
  return {
    username,
    role,
    canMutate: canMutate(caller),
    canReadSensitive: canReadSensitive(caller),
    authentication: caller.kind === 'token' ? 'token' : 'session',
    ...(scope === undefined ? {} : { scope, expiresAt: expiresAt ?? null }),
    ...(project === undefined ? {} : { project }),
    ...(environment === undefined ? {} : { environment }),
  }
}
