/**
 * The schedules of a function as callers see them (docs/reference/functions.md#schedules), and a run that a caller
 * starts.
 */
import { scheduleNextRuns } from '../../contract/limits.ts'
import type { View } from '../../contract/operations.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import { nextTimes } from '../../kinds/apps/functions/calendar.ts'
import { releaseSpecOf } from '../../kinds/apps/spec/draft.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { failuresOf, type FunctionRun } from '../../kinds/apps/functions/schedules.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { readRuns } from '../../records/apps/function-runs.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf, liveAppOf } from './service-of-call.ts'
import { defined } from '../../contract/defined.ts'

type Trigger = NonNullable<AppSpec['source']['function']>['triggers'][number]
type Item = View<'apps.schedules'>['items'][number]

/** `GET /api/apps/{app}/schedules`: running and saved schedules, with the last runs and the next times. */
export const schedules =
  (needs: Needs): Handler<'apps.schedules'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const running = await runningTriggers(needs, app)
    const saved = app.spec.source.function?.triggers ?? []
    const names = [...new Set([...saved, ...running].map(({ name }) => name))].toSorted()
    const runs = names.length === 0 ? {} : await readRuns(needs.client, app.metadata)
    const named = (triggers: readonly Trigger[], wanted: string) => triggers.find(({ name }) => name === wanted)
    return {
      items: names.flatMap((name) => itemOf(named(running, name), named(saved, name), runs[name] ?? [], needs.clock())),
    }
  }

/** `POST /api/apps/{app}/schedules/{schedule}/run`: starts one run now, after a current one has ended. */
export const scheduleRun =
  (needs: Needs): Handler<'apps.schedule-run'> =>
  async (call) => {
    const app = await liveAppOf(needs, call)
    const { schedule } = call.params
    if (!(await runningTriggers(needs, app)).some(({ name }) => name === schedule)) {
      const isSaved = app.spec.source.function?.triggers.some(({ name }) => name === schedule) === true
      throw isSaved ? refuse('deploy the service to run this schedule') : new Problem('not_found', notFound)
    }
    const planned = wholeSecond(needs.clock())
    const isBegun = await needs.scheduleStarts.run(app.metadata.name, schedule, planned).catch((cause: unknown) => {
      throw new Problem('internal_error', 'the run could not be begun; try again', cause)
    })
    if (!isBegun) throw refuse('the schedule is not set up yet, or its date never comes')
    return { ok: true, plannedAt: inWords(planned.getTime()) }
  }

/** Temporal stores planned times in whole seconds. */
const wholeSecond = (ms: number): Date => new Date(Math.floor(ms / 1000) * 1000)

const notFound = 'schedule not found'

/** The schedules of the running release; none while nothing is deployed. */
async function runningTriggers({ records }: Needs, app: App): Promise<readonly Trigger[]> {
  const { attempt, effectiveSpec } = viewOf(app)
  const release = app.status?.release ?? ''
  if (effectiveSpec === undefined || release === '') return []
  if (attempt?.record === release) return effectiveSpec.source.function?.triggers ?? []
  const record = await records.deployments.read(release)
  return (record === undefined ? undefined : releaseSpecOf(record).value)?.source.function?.triggers ?? []
}

/** A schedule as it runs; one that is only saved, as it is saved. */
function itemOf(running: Trigger | undefined, saved: Trigger | undefined, runs: FunctionRun[], now: number): Item[] {
  const shown = running ?? saved
  if (shown === undefined) return []
  const { name, schedule, path } = shown
  const isSame = canonical(running) === canonical(saved)
  return [
    {
      name,
      schedule,
      path,
      state: running === undefined ? 'starts' : saved === undefined ? 'ends' : isSame ? 'active' : 'changes',
      next: running === undefined ? [] : nextTimes(schedule, now, scheduleNextRuns).map(inWords),
      failures: failuresOf(runs),
      runs: runs.toReversed().map(runView),
    },
  ]
}

const inWords = (time: number): string => new Date(time).toISOString()

/** `startedAt` is derived from the planned time, by the clock of Temporal; left out where no request was sent. */
function runView({ planned, phase, lateMs, ms, status, message, times, until, id }: FunctionRun): Item['runs'][number] {
  const startedAt = id === '' ? {} : { startedAt: inWords(Date.parse(planned) + lateMs), ms }
  return {
    plannedAt: planned,
    phase,
    ...startedAt,
    ...defined({ status }),
    message,
    ...defined({ times, until }),
  }
}
