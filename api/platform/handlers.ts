/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { bootstrap } from './bootstrap.ts'
import { me } from './me.ts'
import { openapi } from './openapi.ts'
import { version } from './version.ts'

/** `platform.events` lives in the room of the change stream. */
export const platformHandlers = (needs: Needs) =>
  ({
    'platform.version': version(),
    'platform.me': me(),
    'platform.openapi': openapi(),
    'platform.bootstrap': bootstrap(needs),
  }) satisfies HandlerTable<Exclude<OperationsOf<'platform'>, 'platform.events'>>
