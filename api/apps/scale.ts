/** `POST /apps/{name}/scale`: the number of copies, effective at once. */
import { refuse } from '../../contract/problem.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { appOf, hintApp } from './scope.ts'

export const scale =
  (needs: Needs): Handler<'apps.scale'> =>
  async (call) => {
    await appOf(needs, call)
    const { app: name, replicas } = call.params
    await editSpec(
      needs.writes,
      name,
      ({ spec }) => {
        if (spec.autoscaling !== undefined) throw refuse('autoscaling sets the number of copies; turn it off to scale by hand')
        return { ...spec, replicas }
      },
      call.ifMatch,
    )
    hintApp(needs, name, `scaled to ${replicas}`, call)
    return { ok: true }
  }
