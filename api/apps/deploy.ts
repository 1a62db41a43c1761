/** `POST /apps/{name}/deploy`: deploys what is saved; with nothing pending, the copies are started anew. */
import { pendingWords } from '../../kinds/apps/pending-words.ts'
import { deployTitle } from '../../kinds/apps/deploy-title.ts'
import { acceptDeploy } from '../../records/apps/accept-deploy.ts'
import { askedBy } from '../asked-by.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { appOf, hintApp } from './scope.ts'

export const deploy =
  (needs: Needs): Handler<'apps.deploy'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const { name } = app.metadata
    const accepted = await acceptDeploy(needs.writes, name, {
      ...askedBy(call),
      operation: 'deploy',
      title: deployTitle(app),
      ...(call.ifMatch === undefined ? {} : { ifMatch: call.ifMatch }),
    })
    hintApp(needs, name, 'deploy requested', call)
    return { ok: true, ...pendingWords(accepted), deployed: true }
  }
