/** `POST /api/settings/domain/clear`: forgets the domain. */
import { clearDomain } from '../../records/settings/domain.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { hintPlatform } from './scope.ts'

export const domainClear =
  (needs: Needs): Handler<'settings.domain-clear'> =>
  async (call) => {
    const { ifMatch } = call
    await clearDomain(needs.writes, ifMatch)
    hintPlatform(needs, 'domain cleared', call)
    return { ok: true }
  }
