/** Which handler serves each operation of signing in. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { deviceApprove, deviceRead, deviceStart, deviceToken } from './devices.ts'
import { login, logout, session } from './sessions.ts'

export const authHandlers = (needs: Needs) =>
  ({
    'auth.login': login(needs),
    'auth.logout': logout(needs),
    'auth.session': session(),
    'auth.device-start': deviceStart(needs),
    'auth.device-token': deviceToken(needs),
    'auth.device-read': deviceRead(needs),
    'auth.device-approve': deviceApprove(needs),
  }) satisfies HandlerTable<OperationsOf<'auth'>>
