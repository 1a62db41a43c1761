/** One watch request: its stream of JSON lines as events, with bookmarks, and the errors that end it. */
import type { WatchEvent, WatchQuery } from '../objects/cluster-client.ts'
import { ClusterError, noAnswer } from '../objects/errors.ts'
import { readLines } from './lines.ts'
import type { KubeObject } from '../objects/object.ts'
import { collectionPath } from '../objects/paths.ts'
import { withKind, type ResourceType } from '../objects/resource-type.ts'
import { errorFromEvent } from './status-error.ts'
import type { Call, Transport } from './transport.ts'

interface Line<T> {
  type: WatchEvent<T>['type'] | 'ERROR'
  object: T
}

const metadataOnlyWatch = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'

/** Throws ClusterError: isExpired when `resourceVersion` is too old, whether by status or by an ERROR event. */
export async function openWatch<T extends KubeObject>(transport: Transport, type: ResourceType, query: WatchQuery) {
  const { namespace, labelSelector, fieldSelector, metadataOnly, resourceVersion, timeoutSeconds, silenceMs, signal } =
    query
  const call: Call = {
    method: 'GET',
    verb: 'watch',
    resource: type.plural,
    path: collectionPath(type, namespace),
    query: { watch: true, allowWatchBookmarks: true, labelSelector, fieldSelector, resourceVersion, timeoutSeconds },
    accept: metadataOnly ? metadataOnlyWatch : undefined,
    signal,
  }
  return readEvents<T>(type, call, await transport.open(call, silenceMs))
}

async function* readEvents<T extends KubeObject>(
  type: ResourceType,
  call: Call,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchEvent<T>[]> {
  for await (const lines of readLines(chunks)) {
    const events: WatchEvent<T>[] = []
    for (const line of lines) {
      if (line === '') continue
      const event = parseLine<T>(call, line)
      if (event.type === 'ERROR') {
        // Events before it in the same chunk still count.
        if (events.length > 0) yield events
        throw errorFromEvent(call, event.object)
      }
      events.push({ type: event.type, object: withKind(type, event.object) })
    }
    if (events.length > 0) yield events
  }
}

function parseLine<T>(call: Call, line: string): Line<T> {
  try {
    // The shape of every watch line; the object is of the caller's type, unchecked.
    return JSON.parse(line) as Line<T>
  } catch {
    // Without the parse error as the cause, since it quotes the text.
    throw new ClusterError(
      0,
      noAnswer.unreachable,
      `${call.method} ${call.path}: the watch broke off in the middle of an event`,
    )
  }
}
