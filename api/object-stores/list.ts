/** `GET /object-stores`: buckets and the object server out of memory. */
import { objectStoreSummary } from '../../kinds/object-stores/summary.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { createSummaryList } from '../views/summary-list.ts'

export const list = ({ caches }: Needs): Handler<'object-stores.list'> => createSummaryList(caches.objectStores, objectStoreSummary)
