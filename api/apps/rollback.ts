/** `POST /apps/{name}/rollback`: an earlier image and number of copies, deployed as a new deployment. */
import { sees } from '../../contract/caller.ts'
import { Problem } from '../../contract/problem.ts'
import { labels } from '../../kinds/annotations.ts'
import { acceptRollback, deploymentNotFound } from '../../records/apps/accept-rollback.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import { askedBy } from '../context/hints.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { hintApp, onApp } from './scope.ts'

export const rollback =
  (needs: Needs): Handler<'apps.rollback'> =>
  async (call) => {
    const { app: name, revision } = call.params
    const known = await needs.records.deployments.read(revision)
    // Another project's record is not told from one that is not there; this service's own may be of where it was before a move.
    const own = known?.metadata.labels?.[labels.app] === name
    const visible = own || (known !== undefined && sees(call.caller, known.spec.project, known.spec.environment))
    const ranImage = visible ? (await readAttemptLog(needs.client, revision))?.image : undefined
    const request = { ...askedBy(call), revision, ranImage, ...(call.ifMatch === undefined ? {} : { ifMatch: call.ifMatch }) }
    await onApp(needs, call, (app, writes) => {
      if (known !== undefined && !visible) throw new Problem('not_found', deploymentNotFound)
      return acceptRollback(writes, app, request)
    })
    hintApp(needs, name, `rollback to ${revision}`, call)
    return { ok: true }
  }
