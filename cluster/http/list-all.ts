/** Lists a collection page by page, as one consistent snapshot. */
import type { ListQuery } from '../objects/cluster-client.ts'
import { isExpired } from '../objects/errors.ts'
import type { KubeObject } from '../objects/object.ts'
import { collectionPath } from '../objects/paths.ts'
import { withKind, type ResourceType } from '../objects/resource-type.ts'
import type { Transport } from './transport.ts'

interface Page<T> {
  metadata: { resourceVersion: string; continue?: string }
  /** null for an empty metadata-only list. */
  items: T[] | null
}

const pageSize = 500
const metadataOnlyList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

/** At most `query.limit` items, else all. Every page has the resourceVersion of the first. */
export async function listAll<T extends KubeObject>(transport: Transport, type: ResourceType, query: ListQuery) {
  try {
    return await listPages<T>(transport, type, query, pageSize)
  } catch (error) {
    // The snapshot was compacted between two pages: the whole list is read in one answer.
    if (!isExpired(error) || query.limit !== undefined) throw error
    return listPages<T>(transport, type, query, undefined)
  }
}

async function listPages<T extends KubeObject>(
  transport: Transport,
  type: ResourceType,
  query: ListQuery,
  size: number | undefined,
) {
  const items: T[] = []
  const most = query.limit ?? Number.POSITIVE_INFINITY
  let next: string | undefined
  for (;;) {
    const page = await readPage<T>(
      transport,
      type,
      query,
      size === undefined ? undefined : Math.min(size, most - items.length),
      next,
    )
    for (const item of page.items ?? []) items.push(withKind(type, item))
    next = page.metadata.continue
    if (!next || items.length >= most) return { items, resourceVersion: page.metadata.resourceVersion }
  }
}

async function readPage<T>(
  transport: Transport,
  type: ResourceType,
  query: ListQuery,
  limit: number | undefined,
  next: string | undefined,
) {
  const { namespace, labelSelector, fieldSelector, metadataOnly, signal, timeoutMs } = query
  const text = await transport.send({
    method: 'GET',
    verb: 'list',
    resource: type.plural,
    path: collectionPath(type, namespace),
    query: { labelSelector, fieldSelector, limit, continue: next },
    accept: metadataOnly ? metadataOnlyList : undefined,
    signal,
    timeoutMs,
  })
  // The shape of every list answer; the items are of the caller's type, unchecked.
  return JSON.parse(text) as Page<T>
}
