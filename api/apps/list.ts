/** `GET /apps`: services out of memory. */
import { appSummary } from '../../kinds/apps/summary.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { createSummaryList } from '../views/summary-list.ts'

export const list = ({ caches }: Needs): Handler<'apps.list'> => createSummaryList(caches.apps, appSummary)
