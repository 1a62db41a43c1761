/** `GET /token/services`: what a token's environment holds; workspace tokens may ask about any. */
import { appState } from '../../kinds/apps/state.ts'
import { pendingChanges } from '../../kinds/apps/effective-spec.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { annotations } from '../../kinds/annotations.ts'
import { sourceWord } from '../../kinds/apps/summary.ts'
import { byPlace, placeKey } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const services =
  ({ caches }: Needs): Handler<'tokens.services'> =>
  async ({ params, caller }) => {
    const project = caller.project ?? params.project ?? ''
    const environment = caller.environment ?? params.environment ?? ''
    const found =
      project !== '' && environment !== ''
        ? caches.apps.by(byPlace, placeKey(project, environment))
        : caches.apps.list().filter(({ spec }) => matches(spec.project, project) && matches(spec.environment, environment))
    return { project, environment, services: found.map(serviceItem) }
  }

const matches = (value: string, wanted: string): boolean => wanted === '' || value === wanted

function serviceItem(app: App) {
  return {
    id: app.metadata.name,
    name: app.metadata.annotations?.[annotations.displayName] ?? app.metadata.name,
    kind: 'app',
    source: sourceWord(app.spec),
    ready: appState(app).state === 'ready',
    pendingChanges: pendingChanges(app).length,
  }
}
