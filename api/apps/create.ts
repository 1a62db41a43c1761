/** `POST /apps`: a draft, or a service that is deployed at once; with no room nothing is saved. */
import { acceptDeploy, mintRecordName, refuseUndeployable } from '../../records/apps/accept-deploy.ts'
import { chooseAppName, createDraft, newSpec } from '../../records/apps/create-draft.ts'
import { refuseTakenHost } from '../../records/apps/save-settings.ts'
import { askedBy } from '../asked-by.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { hintApp } from './scope.ts'

export const create =
  (needs: Needs): Handler<'apps.create'> =>
  async (call) => {
    const { name: wanted, draft: _, deploy, ...fields } = call.params
    const name = await chooseAppName(needs.writes, fields, wanted === '' ? undefined : wanted)
    const spec = newSpec(fields)
    if (deploy !== true) {
      await createDraft(needs.writes, name, spec)
      return { ok: true, name, kind: 'apps' }
    }
    const record = mintRecordName(name)
    refuseUndeployable({ metadata: { name } }, spec)
    refuseTakenHost(needs.writes, name, spec.ingress.host)
    const { reserve: _reserved, ...writes } = needs.writes
    await writes.room.reserve(name, spec, record)
    await createDraft(writes, name, spec)
    // Dying here leaves a draft that the caller can deploy or delete.
    await acceptDeploy(writes, name, { ...askedBy(call), operation: 'deploy', title: 'First deploy', record })
    hintApp(needs, name, 'created and deployed', call)
    return { ok: true, name, kind: 'apps', deployed: true }
  }
