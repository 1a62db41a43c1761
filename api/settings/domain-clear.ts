/** `POST /api/settings/domain/clear`: forgets the domain. */
import { clearDomain } from '../../records/settings/domain.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'

export const domainClear =
  ({ writes }: Needs): Handler<'settings.domain-clear'> =>
  async ({ ifMatch }) => {
    await clearDomain(writes, ifMatch)
    return { ok: true }
  }
