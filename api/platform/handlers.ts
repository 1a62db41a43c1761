/** The handlers of the platform. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { backup, restore } from './backup.ts'
import { bootstrap } from './bootstrap.ts'
import { openapiDocument } from './openapi-document.ts'
import { describeCaller } from './summary.ts'
import { warnings } from './warnings.ts'

/** All but `platform.events`, whose handler is in api/events. */
export const platformHandlers = (needs: Needs) =>
  ({
    'platform.version': version(),
    'platform.me': me(),
    'platform.openapi': openapi(),
    'platform.bootstrap': bootstrap(needs),
    'platform.warnings': warnings(needs),
    'platform.backup': backup(needs),
    'platform.restore': restore(needs),
  }) satisfies HandlerTable<Exclude<OperationsOf<'platform'>, 'platform.events'>>

/** `GET /version`: the version of the API, for clients that have to know it. */
const version = (): Handler<'platform.version'> => async () => ({ api: 'v1', name: 'svc' })

/** `GET /me`: the caller and its rights. */
const me =
  (): Handler<'platform.me'> =>
  async ({ caller }) =>
    describeCaller(caller)

/** `GET /openapi.json`. */
const openapi = (): Handler<'platform.openapi'> => {
  const document = { ...openapiDocument() }
  return async () => document
}
