/** Retries a failed deploy: writes a new token into the record, and who asked. */
import { randomBytes } from 'node:crypto'
import { refuse } from '../../contract/problem.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import { withRetrier } from '../../kinds/provision/edited-by.ts'
import { type EditNeeds, editApp } from './edit-app.ts'

/**
 * Throws Problem invalid_request unless the service is in state failed
 * (docs/reference/conventions.md#waiting-and-failing).
 */
export function retryProvision(needs: EditNeeds, name: string, actor: string): Promise<App> {
  const token = randomBytes(6).toString('hex')
  return editApp(needs, name, (app) => {
    if (app.metadata.annotations?.[annotations.retry] === token) return app
    const { state } = appState(app)
    if (state !== 'failed') throw refuse(`only a failed deploy can be retried; this service is ${state}`)
    const retried = { ...app.metadata, annotations: { ...app.metadata.annotations, [annotations.retry]: token } }
    return { ...app, metadata: withRetrier(retried, actor) }
  })
}
