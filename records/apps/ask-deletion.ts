/** Asks for a service to be deleted; its workflow takes everything down and removes the finalizer. */
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { EditNeeds } from './edit-app.ts'

/** Harmless to repeat. Throws Problem invalid_request when the name was not typed again exactly. */
export async function askDeletion(needs: EditNeeds, app: App, confirmName: string): Promise<void> {
  const { name, uid = '' } = app.metadata
  if (confirmName !== name) throw refuse(refusals.confirmation)
  if (!(await needs.apps.remove(name, uid))) throw new Problem('not_found', refusals.appNotFound)
}
