/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../handler.ts'
import { me } from './me.ts'
import { openapi } from './openapi.ts'
import { version } from './version.ts'

/** `platform.events` lives in the room of the change stream, `platform.bootstrap` beside the lists it gathers. */
export const platformHandlers = () =>
  ({
    'platform.version': version(),
    'platform.me': me(),
    'platform.openapi': openapi(),
  }) satisfies HandlerTable<Exclude<OperationsOf<'platform'>, 'platform.events' | 'platform.bootstrap'>>
