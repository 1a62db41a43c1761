/** `PATCH /projects/{name}`: name, environments and region. */
import { saveProjectSettings } from '../../records/projects/save-settings.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintProject } from './scope.ts'

export const settingsSave =
  (needs: Needs): Handler<'projects.settings-save'> =>
  async (call) => {
    const { project, ...settings } = call.params
    await saveProjectSettings(needs.writes, project, settings, call.ifMatch)
    hintProject(needs, project, 'settings changed', call)
    return { ok: true }
  }
