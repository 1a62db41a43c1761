/** `GET /databases`: databases out of memory. */
import { databaseSummary } from '../../kinds/databases/summary.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { createSummaryList } from '../views/summary-list.ts'

export const list = ({ caches }: Needs): Handler<'databases.list'> => createSummaryList(caches.databases, databaseSummary)
