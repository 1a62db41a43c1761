/** `PATCH /apps/{name}`: live settings apply at once, the others wait; `deploy` takes them along in the same write. */
import { pendingWords } from '../../kinds/apps/pending-words.ts'
import { saveAndDeploy, saveSettings } from '../../records/apps/save-settings.ts'
import { askedBy } from '../context/hints.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintApp, onApp } from './scope.ts'

export const update =
  (needs: Needs): Handler<'apps.update'> =>
  async (call) => {
    const { app: name, deploy, ...settings } = call.params
    if (deploy === true) {
      const request = { ...askedBy(call), title: 'Changed settings', ...(call.ifMatch === undefined ? {} : { ifMatch: call.ifMatch }) }
      const deployed = await onApp(needs, call, (_app, writes) => saveAndDeploy(writes, name, settings, request))
      hintApp(needs, name, 'deploy with changed settings', call)
      return { ok: true, ...pendingWords(deployed), deployed: true }
    }
    const saved = await onApp(needs, call, (_app, writes) => saveSettings(writes, name, settings, call.ifMatch))
    if (saved.spec.deploy.enabled) hintApp(needs, name, 'settings changed', call)
    return { ok: true, ...pendingWords(saved) }
  }
