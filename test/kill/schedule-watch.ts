/**
 * Compares what svc says of the runs of schedules with what the functions received: no run arrives twice, and each
 * planned minute of the watched functions ran once or is reported as come to nothing.
 */
import { timesBetween } from '../../kinds/apps/functions/calendar.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { FunctionRun } from '../../kinds/apps/functions/schedules.ts'
import { readRuns } from '../../records/apps/function-runs.ts'
import type { TestRecords } from '../harness/records.ts'
import type { Received, TestReceiver } from '../outside/webhooks/receiver.ts'
import { functionOf, triggerOf } from './function-slot.ts'
import { insist } from './insist.ts'
import { deployForGood, draftOf } from './service-slot.ts'
import type { World } from './world.ts'

const everyMinute = '* * * * *'
const triggers = ['one', 'two', 'three'].map((name) => triggerOf(name, everyMinute))
/** One that runs through the kills, and one that sleeps between its runs. */
const watched = {
  'watch-awake': functionOf('export default 1', ...triggers),
  'watch-asleep': {
    ...functionOf('export default 1', ...triggers.slice(0, 1)),
    scaleToZero: { enabled: true, idleSeconds: 60 },
    ingress: { host: 'watch-asleep.sleep.test', path: '/', tlsEnabled: false, rules: [] } as never,
  },
} as const
/** A run is noted by then, once all processes are back: a minute, and the time of the call and its note. */
const silentMs = 180_000

export interface ScheduleWatch {
  /** Reads what svc keeps of the runs, of which there are only the newest. */
  gather(): Promise<void>
  /** All runs were ended by hand at this time. */
  noteTermination(at: number): void
  /** Number of runs that arrived at any function. */
  arrived(): number
  /** To be called once all processes are back. */
  breaches(now: number): string[]
}

/** Deploys the watched functions. */
export async function openScheduleWatch(
  world: World,
  records: TestRecords,
  project: string,
  copies: TestReceiver,
): Promise<ScheduleWatch> {
  const apps = await Promise.all(
    Object.entries(watched).map(([name, spec]) => deployForGood({ world, records }, draftOf(name, project, spec))),
  )
  const began = Date.now()
  const terminations: number[] = []
  /** By the schedule, and by id or else planned time. */
  const recorded = new Map<string, Map<string, FunctionRun>>()
  const gather = async (): Promise<void> => {
    for (const app of apps)
      for (const [trigger, runs] of Object.entries(await insist(() => readRuns(records.client, app.metadata)))) {
        const source = sourceOf(app, trigger)
        const known = recorded.get(source) ?? new Map<string, FunctionRun>()
        for (const run of runs) known.set(run.id === '' ? run.planned : run.id, run)
        recorded.set(source, known)
      }
  }
  return {
    gather,
    arrived: () => copies.received.length,
    noteTermination: (at) => void terminations.push(at),
    breaches(now) {
      const calls = Map.groupBy(copies.received, ({ headers }) => String(headers['ce-id']))
      const twice = [...calls].filter(([, of]) => of.length > 1).map(([id, of]) => `${id} arrived ${of.length} times`)
      const runs = [...recorded.values()].flatMap((known) => [...known.values()])
      const planned = apps.flatMap((app) =>
        (app.spec.source.function?.triggers ?? []).flatMap(({ name }) => {
          const source = sourceOf(app, name)
          return plannedBreaches(source, [...(recorded.get(source)?.values() ?? [])], copies.received, {
            began,
            now,
            terminations,
          })
        }),
      )
      return [...twice, ...runs.flatMap((run) => noteBreaches(run, calls.get(run.id) ?? [])), ...planned]
    },
  }
}

const sourceOf = ({ metadata }: App, trigger: string): string => `/apps/${metadata.name}/schedules/${trigger}`

/** A note that contradicts what the function received. */
function noteBreaches({ id, phase, message }: FunctionRun, calls: readonly Received[]): string[] {
  if (id === '' || phase === 'Unknown') return []
  const due = phase === 'Succeeded' ? 1 : 0
  return calls.length === due ? [] : [`${id} is recorded as ${phase} (${message}), and arrived ${calls.length} times`]
}

interface Window {
  began: number
  now: number
  terminations: readonly number[]
}

/** Planned minutes up to the last run that is noted; those after it may still be on their way. */
function plannedBreaches(
  source: string,
  runs: readonly FunctionRun[],
  received: readonly Received[],
  { began, now, terminations }: Window,
): string[] {
  const last = Math.max(0, ...runs.filter(({ id }) => id !== '').map(({ planned }) => Date.parse(planned)))
  if (now - Math.max(last, began) > silentMs)
    return [`${source} has not run since ${new Date(Math.max(last, began)).toISOString()}`]
  return timesBetween(everyMinute, began, last + 1, Infinity).flatMap((time) => {
    const planned = new Date(time).toISOString()
    const calls = received.filter(
      ({ headers }) => headers['ce-source'] === source && headers['ce-time'] === planned,
    ).length
    const notes = runs.filter((run) => run.planned <= planned && planned <= (run.until ?? run.planned))
    const breaches: string[] = []
    if (calls > 1) breaches.push(`${source} of ${planned} arrived ${calls} times`)
    if (notes.length === 0)
      breaches.push(`${source} of ${planned} arrived ${calls} times, and nothing is recorded of it`)
    // A run that is ended by hand notes nothing; only then is one that arrived reported as missed.
    const wasEnded = terminations.some((at) => at >= time && at <= time + silentMs)
    if (calls === 1 && !wasEnded && notes.every(({ id }) => id === ''))
      breaches.push(`${source} of ${planned} arrived, and is recorded as ${notes[0]?.phase} (${notes[0]?.message})`)
    return breaches
  })
}
