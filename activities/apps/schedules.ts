/**
 * Brings the Schedules of a function at Temporal to what its release asks for (docs/reference/functions.md#schedules).
 * The status names each Schedule before it is created, so that none is forgotten, wherever a worker dies.
 */
import { releaseSpecOf } from '../../kinds/apps/spec/draft.ts'
import type { App, AppSpec, AppStatus } from '../../kinds/apps/kind.ts'
import { everRuns } from '../../kinds/apps/functions/calendar.ts'
import { type FunctionSchedule, schedulesOf } from '../../kinds/apps/functions/schedules.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeStatus } from '../kube/write-status.ts'

type Needs = Pick<ActivityNeeds, 'client' | 'apps' | 'deployments' | 'schedules'>

/**
 * The status of a function whose release runs: names of the Schedules that exist, and of those about to be created.
 */
export function namedSchedules(app: App, spec: AppSpec, release: string): Pick<AppStatus, 'schedules'> {
  return withNames(app, runnable(app, spec, release))
}

function withNames({ status }: App, wanted: readonly FunctionSchedule[]): Pick<AppStatus, 'schedules'> {
  const known = status?.schedules ?? []
  const missing = wanted.map(({ trigger }) => trigger).filter((trigger) => !known.includes(trigger))
  return missing.length === 0 ? {} : { schedules: [...known, ...missing] }
}

/** The schedules of a release whose cron expression ever comes due. */
const runnable = ({ metadata }: App, spec: AppSpec, release: string): FunctionSchedule[] =>
  schedulesOf(metadata, spec, release).filter(({ schedule }) => everRuns(schedule))

/**
 * The schedules of the release that runs, without those that never come due; undefined if its spec is not known. A
 * failed deploy leaves them unchanged.
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
  return record === undefined ? undefined : releaseSpecOf(record).value
}

/** Puts and removes Schedules of a function as its release asks for; resolves with the written record. */
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

/** For a service that stops: pauses its Schedules until the next deploy, or removes them with the service. */
export async function endSchedules(
  { schedules }: Pick<Needs, 'schedules'>,
  { metadata, status }: App,
  why: 'remove' | 'withdraw',
): Promise<void> {
  const end = why === 'remove' ? schedules.remove : schedules.pause
  await Promise.all((status?.schedules ?? []).map((trigger) => end(metadata.name, trigger)))
}

/** Whether the Schedules at Temporal differ from what the release asks for. */
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
