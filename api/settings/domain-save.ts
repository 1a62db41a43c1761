/** `POST /api/settings/domain/save`: root domain, address of the dashboard and how it is reached. */
import { saveDomain } from '../../records/settings/domain.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintPlatform } from './scope.ts'

export const domainSave =
  (needs: Needs): Handler<'settings.domain-save'> =>
  async (call) => {
    const { params, ifMatch } = call
    await saveDomain(needs.writes, params, ifMatch)
    hintPlatform(needs, 'domain saved', call)
    return { ok: true }
  }
