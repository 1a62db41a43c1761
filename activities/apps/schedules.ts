/**
 * Brings the Schedules of a function at Temporal to what its release asks for (docs/reference/functions.md#schedules).
 * The status names each before it is made, so that none is forgotten, wherever a worker dies.
 */
import { releaseSpecOf } from '../../kinds/apps/draft.ts'
import type { App, AppSpec, AppStatus } from '../../kinds/apps/kind.ts'
import { everRuns } from '../../kinds/apps/calendar.ts'
import { type FunctionSchedule, schedulesOf } from '../../kinds/apps/schedules.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeStatus } from '../kube/write-status.ts'

type Needs = Pick<ActivityNeeds, 'client' | 'apps' | 'deployments' | 'schedules'>

/**
 * For the status of a function whose release runs: the Schedules that there are, and those that are about to be made.
 */
export function namedSchedules(app: App, spec: AppSpec, release: string): Pick<AppStatus, 'schedules'> {
  return withNames(app, runnable(app, spec, release))
}

function withNames({ status }: App, wanted: readonly FunctionSchedule[]): Pick<AppStatus, 'schedules'> {
  const known = status?.schedules ?? []
  const missing = wanted.map(({ trigger }) => trigger).filter((trigger) => !known.includes(trigger))
  return missing.length === 0 ? {} : { schedules: [...known, ...missing] }
}

/** Those of a release that come at some time. */
const runnable = ({ metadata }: App, spec: AppSpec, release: string): FunctionSchedule[] =>
  schedulesOf(metadata, spec, release).filter(({ schedule }) => everRuns(schedule))

/**
 * The schedules of the release that runs, none of them one that never comes; undefined where its spec is not known.
 * A failed deploy leaves them as they were.
 */
export async function schedulesOfRelease(
  { deployments }: Pick<Needs, 'deployments'>,
  app: App,
): Promise<FunctionSchedule[] | undefined> {
  const { attempt, effectiveSpec } = viewOf(app)
  const release = app.status?.release ?? ''
  if (effectiveSpec?.source.function === undefined || release === '') return undefined
  const spec = attempt?.record === release ? effectiveSpec : await specOf(deployments, release)
  return spec === undefined ? undefined : runnable(app, spec, release)
}

async function specOf(deployments: Needs['deployments'], release: string): Promise<AppSpec | undefined> {
  const record = await deployments.read(release)
  return record === undefined ? undefined : releaseSpecOf(record)
}

/** Of a function. The record as it is then. */
export async function reconcileSchedules(needs: Needs, app: App): Promise<App> {
  const known = app.status?.schedules ?? []
  const wanted = await schedulesOfRelease(needs, app)
  if (wanted === undefined) return app
  const named = await writeNames(needs, app, withNames(app, wanted).schedules)
  const gone = known.filter((name) => !wanted.some(({ trigger }) => trigger === name))
  await Promise.all([
    ...wanted.map((schedule) => needs.schedules.put(schedule)),
    ...gone.map((trigger) => needs.schedules.remove(app.metadata.name, trigger)),
  ])
  return gone.length === 0
    ? named
    : writeNames(
        needs,
        named,
        wanted.map(({ trigger }) => trigger),
      )
}

/** While nothing of the service runs: its schedules rest until it is deployed again, or go with it. */
export async function endSchedules(
  { schedules }: Pick<Needs, 'schedules'>,
  { metadata, status }: App,
  why: 'remove' | 'withdraw',
): Promise<void> {
  const end = why === 'remove' ? schedules.remove : schedules.pause
  await Promise.all((status?.schedules ?? []).map((trigger) => end(metadata.name, trigger)))
}

/** Whether the Schedules differ from what the release asks for, as Temporal says now. */
export async function areOutOfDate(needs: Needs, app: App): Promise<boolean> {
  const known = app.status?.schedules ?? []
  const wanted = await schedulesOfRelease(needs, app)
  if (wanted === undefined) return false
  if (known.some((name) => !wanted.some(({ trigger }) => trigger === name))) return true
  const upToDate = await Promise.all(wanted.map((schedule) => needs.schedules.isUpToDate(schedule)))
  return upToDate.includes(false)
}

const writeNames = async ({ client, apps }: Needs, app: App, schedules: string[] | undefined): Promise<App> =>
  schedules === undefined ? app : writeStatus(client, apps, resourceTypes.app, app, { schedules })
