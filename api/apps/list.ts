/** `GET /apps`: services out of memory. */
import { appSummary } from '../../kinds/apps/summary.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { createSummaryList } from '../summary-list.ts'

export const list = ({ caches }: Needs): Handler<'apps.list'> => createSummaryList(caches.apps, appSummary)
