/** `GET /events`: `connected`, then a `change` for each record that changed. */
import type { ServerEvent } from '../../contract/operation.ts'
import type { Handler } from '../handler.ts'
import type { Change } from './change.ts'
import type { ChangeFeed } from './change-feed.ts'

export const events =
  (feed: ChangeFeed): Handler<'platform.events'> =>
  async ({ signal }) =>
    told(feed.subscribe(signal))

async function* told(changes: AsyncIterable<Change>): AsyncGenerator<ServerEvent> {
  yield { event: 'connected', data: { type: 'connected' } }
  for await (const change of changes) yield { event: 'change', data: change }
}
