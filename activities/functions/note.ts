/**
 * Records the end of a run: first among the kept runs, then in the status the number of failing schedules, which is
 * counted from those.
 */
import { scheduleFailures } from '../../contract/limits.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { failuresOf, type FunctionRun } from '../../kinds/apps/functions/schedules.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { noteRun, readRuns } from '../../records/apps/function-runs.ts'
import { onFreshRecord } from '../../records/store/retry.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeStatus } from '../kube/write-status.ts'

type Needs = Pick<ActivityNeeds, 'client' | 'apps'>

/**
 * Repeating it is harmless: a run is recorded once, and the status is written only if the number changes. `app` may be
 * as old as the start of the call, which may take minutes.
 */
export async function note(
  { client, apps }: Needs,
  app: App,
  of: { trigger: string; schedule: string },
  run: FunctionRun,
): Promise<void> {
  const { lastAttempt } = app.status ?? {}
  // The release's Schedules are created after the status of its success: times planned in between have no run.
  const since =
    lastAttempt?.id === run.release && lastAttempt.phase === 'Succeeded' ? lastAttempt.completedAt : undefined
  await noteRun(client, app, { ...of, since }, run)
  const { name, uid = '' } = app.metadata
  await onFreshRecord(
    apps,
    name,
    uid,
    (fresh) => countFailing({ client, apps }, fresh),
    () => undefined,
  )
}

/** Reads the runs after the record, and again after a write, so that runs recorded in between are counted. */
async function countFailing({ client, apps }: Needs, app: App): Promise<void> {
  const runs = await readRuns(client, app.metadata)
  const { schedules = [], failingSchedules = 0 } = app.status ?? {}
  const failing = schedules.filter((each) => failuresOf(runs[each] ?? []) >= scheduleFailures).length
  if (failing === failingSchedules) return
  const written = await writeStatus(client, apps, resourceTypes.app, app, { failingSchedules: failing })
  await countFailing({ client, apps }, written)
}
