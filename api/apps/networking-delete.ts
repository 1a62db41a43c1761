/** `POST /api/apps/{app}/networking/delete`: clears host and TLS; live, so it applies at once. */
import { refusals, refuse } from '../../contract/problem.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { appOf, hintApp } from './scope.ts'

export const networkingDelete =
  (needs: Needs): Handler<'apps.networking-delete'> =>
  async (call) => {
    const { name } = (await appOf(needs, call)).metadata
    if (call.params.confirmName !== name) throw refuse(refusals.confirmation)
    await editSpec(
      needs.writes,
      name,
      ({ spec }) => ({ ...spec, ingress: { ...spec.ingress, host: '', tlsEnabled: false, dnsVerification: false, rules: [] } }),
      call.ifMatch,
    )
    hintApp(needs, name, 'host removed', call)
    return { ok: true }
  }
