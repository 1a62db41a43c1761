/** `GET /logical-databases`: logical databases out of memory. */
import { logicalDatabaseSummary } from '../../kinds/logical-databases/summary.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { createSummaryList } from '../views/summary-list.ts'

export const list = ({ caches }: Needs): Handler<'logical-databases.list'> => createSummaryList(caches.logicalDatabases, logicalDatabaseSummary)
