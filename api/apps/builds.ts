/** The builds of a service. */
import { defined } from '../../contract/defined.ts'
import type { View } from '../../contract/operations.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { newestFirst } from '../../kinds/builds/phase.ts'
import { byApp } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf } from './service-of-call.ts'

/** `GET /api/apps/{app}/builds`: the kept builds, newest first. */
export const builds =
  (needs: Needs): Handler<'apps.builds'> =>
  async (call) => {
    const { metadata } = await appOf(needs, call)
    return { items: needs.caches.builds.by(byApp, metadata.name).toSorted(newestFirst).map(item) }
  }

function item({ metadata, spec, status = {} }: Build): View<'apps.builds'>['items'][number] {
  const { phase = 'Pending', imageBytes, steps, cachedSteps, startedAt, completedAt } = status
  return {
    name: metadata.name,
    deployment: spec.attempt,
    phase,
    branch: spec.branch,
    reused: status.reused === true,
    message: status.failureReason ?? status.message ?? '',
    ...defined({
      trigger: spec.trigger,
      commit: status.sourceRevision,
      imageBytes,
      steps,
      cachedSteps,
      startedAt,
      completedAt,
    }),
  }
}
