/**
 * Notes how a run ended: among the kept runs first, then in the status how many schedules fail, which follows from
 * those.
 */

import { scheduleFailures } from '../../contract/limits.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { failuresOf, type FunctionRun } from '../../kinds/apps/schedules.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { noteRun } from '../../records/apps/function-runs.ts'
import { onFreshRecord } from '../context/fresh-record.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeStatus } from '../kube/write-status.ts'

/** Repeating it is harmless: a run is noted once. The status is written only where the number changes. */
export async function note(
  { client, apps }: Pick<ActivityNeeds, 'client' | 'apps'>,
  app: App,
  of: { trigger: string; schedule: string },
  run: FunctionRun,
): Promise<void> {
  const { lastAttempt } = app.status ?? {}
  // Its Schedules are made after the status that says that it runs: what is planned between the two begins no run.
  const since =
    lastAttempt?.id === run.release && lastAttempt.phase === 'Succeeded' ? lastAttempt.completedAt : undefined
  const runs = await noteRun(client, app, { ...of, since }, run)
  const { name, uid = '' } = app.metadata
  const failing = (app.status?.schedules ?? []).filter((each) => failuresOf(runs[each] ?? []) >= scheduleFailures)
  if (failing.length === (app.status?.failingSchedules ?? 0)) return
  await onFreshRecord(
    apps,
    name,
    uid,
    async (fresh) =>
      void (await writeStatus(client, apps, resourceTypes.app, fresh, { failingSchedules: failing.length })),
    () => undefined,
  )
}
