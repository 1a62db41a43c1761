/** `POST /apps`: a draft, or a service that is deployed at once; with no room nothing is saved. */
import type { AppSpec } from '../../kinds/apps/kind.ts'
import { acceptDeploy, mintRecordName, refuseUndeployable } from '../../records/apps/accept-deploy.ts'
import { createDraft, newSpec } from '../../records/apps/create-draft.ts'
import { refuseTakenHost } from '../../records/apps/save-settings.ts'
import type { Asked } from '../../records/edit-record.ts'
import { makeNamed, NameUsed } from '../../records/place.ts'
import { askedBy } from '../context/hints.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import type { Writes } from '../context/writes.ts'
import { hintApp } from './scope.ts'

export const create =
  (needs: Needs): Handler<'apps.create'> =>
  async (call) => {
    const { name: wanted, draft: _, deploy, ...fields } = call.params
    const { metadata } = await makeNamed(needs.writes, 'app', fields, wanted, (candidate) => {
      const spec = newSpec(fields)
      return deploy === true ? createDeployed(needs.writes, candidate, spec, askedBy(call)) : createDraft(needs.writes, candidate, spec)
    })
    const { name } = metadata
    if (deploy !== true) return { ok: true, name, kind: 'apps' }
    hintApp(needs, name, 'created and deployed', call)
    return { ok: true, name, kind: 'apps', deployed: true }
  }

async function createDeployed({ reserve: _reserved, ...writes }: Writes, name: string, spec: AppSpec, asked: Asked) {
  const record = mintRecordName(name)
  refuseUndeployable({ metadata: { name } }, spec)
  refuseTakenHost(writes, name, spec.ingress.host, spec)
  // Asked of the cluster: another process may have made one this moment, and its room is promised under this name.
  if ((await writes.apps.read(name)) !== undefined) throw new NameUsed(name)
  await writes.room.reserve(name, spec, record)
  const draft = await createDraft(writes, name, spec)
  // Dying here leaves a draft that the caller can deploy or delete.
  await acceptDeploy(writes, name, { ...asked, operation: 'deploy', title: 'First deploy', record })
  return draft
}
