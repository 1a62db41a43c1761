/** `POST /apps/{name}/scale`: the number of copies, effective at once. */
import { refuse } from '../../contract/problem.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintApp, onApp } from './scope.ts'

export const scale =
  (needs: Needs): Handler<'apps.scale'> =>
  async (call) => {
    const { app: name, replicas } = call.params
    const scaled = ({ spec }: App): AppSpec => {
      if (spec.autoscaling !== undefined) throw refuse('autoscaling sets the number of copies; turn it off to scale by hand')
      return { ...spec, replicas }
    }
    await onApp(needs, call, (_app, writes) => editSpec(writes, name, scaled, call.ifMatch))
    hintApp(needs, name, `scaled to ${replicas}`, call)
    return { ok: true }
  }
