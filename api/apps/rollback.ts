/** `POST /apps/{name}/rollback`: an earlier image and number of copies, deployed as a new deployment. */
import { acceptRollback } from '../../records/apps/accept-rollback.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import { askedBy } from '../asked-by.ts'
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { appOf, hintApp } from './scope.ts'

export const rollback =
  (needs: Needs): Handler<'apps.rollback'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const { revision } = call.params
    const known = (await needs.records.deployments.read(revision)) !== undefined
    const ranImage = known ? (await readAttemptLog(needs.client, revision))?.image : undefined
    await acceptRollback(needs.writes, app, { ...askedBy(call), revision, ranImage, ...(call.ifMatch === undefined ? {} : { ifMatch: call.ifMatch }) })
    hintApp(needs, app.metadata.name, `rollback to ${revision}`, call)
    return { ok: true }
  }
