/** `POST /api/settings/domain/save`: root domain, address of the dashboard and how it is reached. */
import { saveDomain } from '../../records/settings/domain.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const domainSave =
  ({ writes }: Needs): Handler<'settings.domain-save'> =>
  async ({ params, ifMatch }) => {
    await saveDomain(writes, params, ifMatch)
    return { ok: true }
  }
