/** How the kept deployments of a service ended: by the status, those that failed before the newest by their logs. */
import type { ClusterClient } from '../../cluster/client.ts'
import { endIn } from '../../records/store/attempt-history.ts'
import { successesIn } from '../../kinds/apps/view.ts'
import type { AttemptEnd } from '../../kinds/apps/deploy/attempt.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { lastAttemptOf } from '../../kinds/apps/state.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { BoundedMap } from '../../records/counters/bounded-map.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'

/** Ends that an api remembers: those of some thousand services. */
const endsKept = 20_000

export interface Outcome {
  readonly phase: 'Running' | AttemptEnd['phase']
  readonly summary?: string | undefined
}

/**
 * One outcome for each record, in their order; undefined where the log of one has no end, or cannot be read now. The
 * end of a deployment that is not the newest never changes, so its log is read once.
 */
export function createOutcomes({ client }: { readonly client: ClusterClient }) {
  const ends = new BoundedMap<string, Outcome>(endsKept)
  return async (app: App, records: readonly Deployment[]): Promise<(Outcome | undefined)[]> => {
    const newest = lastAttemptOf(app)
    const successes = new Map(successesIn(app.status).map(({ id, summary }) => [id, summary]))
    return await Promise.all(
      records.map(async ({ metadata: { name, uid = name } }) => {
        if (name === newest?.id) return newest
        const summary = successes.get(name)
        if (summary !== undefined) return { phase: 'Succeeded', summary }
        const known = ends.get(uid)
        if (known !== undefined) return known
        // The list is of use without it as well.
        const log = await readAttemptLog(client, name).catch(() => undefined)
        const end = endIn(log?.steps ?? [])
        if (end !== undefined) ends.set(uid, end)
        return end
      }),
    )
  }
}
