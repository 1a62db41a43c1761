/** `GET /version`: the line of the API, for clients that must know what they talk to. */
import type { Handler } from '../context/handler.ts'

export const version = (): Handler<'platform.version'> => async () => ({ api: 'v1', name: 'svc' })
