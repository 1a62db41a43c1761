/**
 * `GET /events`: `connected`, then a `change` for each changed record, with its part for callers that ask for `parts`.
 */
import type { ServerEvent } from '../../contract/operation.ts'
import type { Handler } from '../context/handler.ts'
import { withoutPart, type Change } from './change.ts'
import type { ChangeFeed } from './change-feed.ts'

export const events =
  (feed: ChangeFeed): Handler<'platform.events'> =>
  async ({ params, signal }) =>
    serverEvents(feed.subscribe(signal), params.parts === true ? withParts : withoutParts)

type EventOf = (change: Change) => ServerEvent

/** All listeners get the same event object of a change, so that its text is made once. */
function sharedEvents(dataOf: (change: Change) => Change): EventOf {
  const made = new WeakMap<Change, ServerEvent>()
  return (change) => {
    const event = made.get(change) ?? { event: 'change', data: dataOf(change), shared: true }
    made.set(change, event)
    return event
  }
}

const withParts = sharedEvents((change) => change)
const withoutParts = sharedEvents(withoutPart)

async function* serverEvents(changes: AsyncIterable<Change>, eventOf: EventOf): AsyncGenerator<ServerEvent> {
  yield { event: 'connected', data: { type: 'connected' } }
  for await (const change of changes) yield eventOf(change)
}
