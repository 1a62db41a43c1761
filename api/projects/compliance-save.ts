/** `POST /projects/{name}/compliance`: the tags that nodes of the project must carry; running services are rolled onto them. */
import { saveRequiredTags } from '../../records/projects/required-tags.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

/** No hint: what the tags change is the placement of services, whose workflows the watch wakes. */
export const complianceSave =
  (needs: Needs): Handler<'projects.compliance-save'> =>
  async ({ params: { project, requiredTags }, ifMatch }) => {
    const saved = await saveRequiredTags(needs.writes, project, requiredTags, ifMatch)
    return { ok: true, requiredTags: saved.spec.requiredTags }
  }
