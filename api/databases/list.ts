/** `GET /databases`: databases out of memory. */
import { databaseSummary } from '../../kinds/databases/summary.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { createSummaryList } from '../summary-list.ts'

export const list = ({ caches }: Needs): Handler<'databases.list'> => createSummaryList(caches.databases, databaseSummary)
