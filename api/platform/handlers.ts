/** The verbs of the platform; `platform.events` lives in the room of the change stream. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { bootstrap } from './bootstrap.ts'
import { me } from './me.ts'
import { openapiDocument } from './openapi-document.ts'

/** `platform.events` lives in the room of the change stream. */
export const platformHandlers = (needs: Needs) =>
  ({
    'platform.version': version(),
    'platform.me': me(),
    'platform.openapi': openapi(),
    'platform.bootstrap': bootstrap(needs),
  }) satisfies HandlerTable<Exclude<OperationsOf<'platform'>, 'platform.events'>>

/** `GET /version`: the line of the API, for clients that must know what they talk to. */
const version = (): Handler<'platform.version'> => async () => ({ api: 'v1', name: 'svc' })

/** `GET /openapi.json`. */
const openapi = (): Handler<'platform.openapi'> => {
  const document = { ...openapiDocument() }
  return async () => document
}
