/** Deletes a service's record; its workflow then removes all objects and the finalizer. */
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { DeletionRequest } from '../../kinds/provision/deletion-request.ts'
import type { EditNeeds } from './edit-app.ts'

/** Harmless to repeat. Throws Problem invalid_request when `confirmName` is not the exact name. */
export async function askDeletion(
  needs: EditNeeds,
  app: App,
  confirmName: string,
  asked?: DeletionRequest,
): Promise<void> {
  const { name, uid = '' } = app.metadata
  if (confirmName !== name) throw refuse(refusals.confirmation)
  if (!(await needs.apps.remove(name, uid, asked))) throw new Problem('not_found', refusals.appNotFound)
}
