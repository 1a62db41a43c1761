/** `GET /events`: `connected`, then a `change` for each record that changed. */
import type { ServerEvent } from '../../contract/operation.ts'
import type { Handler } from '../context/handler.ts'
import type { Change } from './change.ts'
import type { ChangeFeed } from './change-feed.ts'

export const events =
  (feed: ChangeFeed): Handler<'platform.events'> =>
  async ({ signal }) =>
    serverEvents(feed.subscribe(signal))

/** A change goes to every listener as one and the same event, whose text is then made once. */
const shared = new WeakMap<Change, ServerEvent>()

function eventOf(change: Change): ServerEvent {
  const event = shared.get(change) ?? { event: 'change', data: change, shared: true }
  shared.set(change, event)
  return event
}

async function* serverEvents(changes: AsyncIterable<Change>): AsyncGenerator<ServerEvent> {
  yield { event: 'connected', data: { type: 'connected' } }
  for await (const change of changes) yield eventOf(change)
}
