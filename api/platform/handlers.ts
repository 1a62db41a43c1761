/** The verbs of the platform. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { backup, restore } from './backup.ts'
import { bootstrap } from './bootstrap.ts'
import { openapiDocument } from './openapi-document.ts'
import { describeCaller } from './summary.ts'
import { warnings } from './warnings.ts'

/** `platform.events` is served by the module of the change stream. */
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

/** `GET /version`: the line of the API, for clients that must know what they talk to. */
const version = (): Handler<'platform.version'> => async () => ({ api: 'v1', name: 'svc' })

/** `GET /me`: who is calling and what they may do. */
const me =
  (): Handler<'platform.me'> =>
  async ({ caller }) =>
    describeCaller(caller)

/** `GET /openapi.json`. */
const openapi = (): Handler<'platform.openapi'> => {
  const document = { ...openapiDocument() }
  return async () => document
}
