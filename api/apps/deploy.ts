/** `POST /apps/{name}/deploy`: deploys what is saved; with nothing pending, the copies are started anew. */
import { pendingWords } from '../../kinds/apps/pending-words.ts'
import { deployTitle } from '../../kinds/apps/deploy-title.ts'
import { acceptDeploy } from '../../records/apps/accept-deploy.ts'
import { askedBy } from '../context/hints.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintApp, onApp } from './scope.ts'

export const deploy =
  (needs: Needs): Handler<'apps.deploy'> =>
  async (call) => {
    const request = { ...askedBy(call), operation: 'deploy' as const, ...(call.ifMatch === undefined ? {} : { ifMatch: call.ifMatch }) }
    const accepted = await onApp(needs, call, (app, writes) => acceptDeploy(writes, app.metadata.name, { ...request, title: deployTitle(app) }))
    hintApp(needs, accepted.metadata.name, 'deploy requested', call)
    return { ok: true, ...pendingWords(accepted), deployed: true }
  }
