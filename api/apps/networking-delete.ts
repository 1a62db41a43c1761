/** `POST /api/apps/{app}/networking/delete`: clears host and TLS; live, so it applies at once. */
import { refusals, refuse } from '../../contract/problem.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintApp, onApp } from './scope.ts'

export const networkingDelete =
  (needs: Needs): Handler<'apps.networking-delete'> =>
  async (call) => {
    const { app: name, confirmName } = call.params
    const cleared = ({ spec }: App): AppSpec => ({ ...spec, ingress: { ...spec.ingress, host: '', tlsEnabled: false, dnsVerification: false, rules: [] } })
    await onApp(needs, call, (_app, writes) => {
      if (confirmName !== name) throw refuse(refusals.confirmation)
      return editSpec(writes, name, cleared, call.ifMatch)
    })
    hintApp(needs, name, 'host removed', call)
    return { ok: true }
  }
