/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { deviceApprove } from './device-approve.ts'
import { deviceRead } from './device-read.ts'
import { deviceStart } from './device-start.ts'
import { deviceToken } from './device-token.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { session } from './session.ts'

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
