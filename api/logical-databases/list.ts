/** `GET /logical-databases`: logical databases out of memory. */
import { logicalDatabaseSummary } from '../../kinds/logical-databases/summary.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { createSummaryList } from '../summary-list.ts'

export const list = ({ caches }: Needs): Handler<'logical-databases.list'> => createSummaryList(caches.logicalDatabases, logicalDatabaseSummary)
