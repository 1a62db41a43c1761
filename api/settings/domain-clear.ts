/** `POST /api/settings/domain/clear`: forgets the domain. */
import { clearDomain } from '../../records/settings/domain.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintPlatform } from './scope.ts'

export const domainClear =
  (needs: Needs): Handler<'settings.domain-clear'> =>
  async (call) => {
    const { ifMatch } = call
    await clearDomain(needs.writes, ifMatch)
    hintPlatform(needs, 'domain cleared', call)
    return { ok: true }
  }
