/** The differences between deployments of a service. */
import { Problem, refuse } from '../../contract/problem.ts'
import { releaseSpecOf } from '../../kinds/apps/spec/draft.ts'
import type { AppSpec } from '../../kinds/apps/kind.ts'
import { fieldsOfRollback } from '../../kinds/apps/deploy/rollback.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { specChanges } from '../../kinds/provision/pending-diff.ts'
import { deploymentNotFound } from '../../records/apps/accept-rollback.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf } from './service-of-call.ts'

/** `GET /api/apps/{app}/deployments/{id}/changes`: the fields that differ, and whether a rollback would change each. */
export const deploymentChanges =
  (needs: Needs): Handler<'apps.deployment-changes'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const { id, from = '' } = call.params
    const record = await deploymentOf(needs, app.metadata.name, id)
    // With today's live settings: a number of copies that was scaled to since then is what a rollback changes.
    const running = viewOf(app).effectiveSpec ?? app.spec
    const before = from === '' ? running : specOf(await deploymentOf(needs, app.metadata.name, from))
    const goesBack = fieldsOfRollback(running, record.spec)
    const changes = specChanges(before, specOf(record))
    return { id, from, changes: changes.map((change) => ({ ...change, goesBack: goesBack.has(change.field) })) }
  }

async function deploymentOf({ records }: Needs, app: string, id: string): Promise<Deployment> {
  const record = await records.deployments.read(id)
  if (record?.metadata.labels?.[labels.app] !== app) throw new Problem('not_found', deploymentNotFound)
  return record
}

function specOf(record: Deployment): AppSpec {
  const { value, unreadable } = releaseSpecOf(record)
  if (value !== undefined) return value
  const deployed = `what deployment ${record.metadata.name} deployed`
  throw refuse(unreadable === undefined ? `${deployed} is not kept` : `${deployed} is not known: ${unreadable}`)
}
