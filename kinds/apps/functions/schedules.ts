/** Which schedules of a function run, and what svc keeps of their runs (docs/reference/functions.md#schedules). */
import { functionRunsKept } from '../../../contract/process-limits.ts'
import { z } from 'zod'
import { type RunPhase, runPhases } from '../../../contract/fields/words.ts'
import { timesBetween } from './calendar.ts'
import type { AppSpec } from '../kind.ts'

/** A schedule of a release. It enters histories, so path and payload stay in the release. */
export interface FunctionSchedule {
  app: string
  uid: string
  project: string
  environment: string
  /** Name of the schedule within the function. */
  trigger: string
  /** Five-field cron, or a word such as `@daily`. */
  schedule: string
  /** The deployment record whose spec has it. */
  release: string
}

/** One run, or several planned runs in a row that did not begin. */
export const functionRun = z.object({
  /** Id of the workflow; '' of runs that did not begin. */
  id: z.string(),
  release: z.string(),
  /** The planned time, RFC 3339; of several runs that of the first. */
  planned: z.iso.datetime(),
  phase: z.enum(runPhases),
  /** Milliseconds from the planned time to the request. */
  lateMs: z.number(),
  /** Milliseconds from the request to its end. */
  ms: z.number(),
  /** HTTP status of the answer; left out where there is none. */
  status: z.number().exactOptional(),
  message: z.string(),
  /** How many runs this entry stands for, where they are several; `until` is the planned time of the last. */
  times: z.number().exactOptional(),
  until: z.iso.datetime().exactOptional(),
})
export type FunctionRun = z.output<typeof functionRun>

/** The longest message that is kept, in characters. */
const messageLength = 300
/** So many planned times between two runs are looked at: more than any outage that matters to a reader. */
const mostBetween = 10_000
const noRun = 'no run is known: svc or Temporal was away, the schedule was paused, or the run was ended by hand'
/** How long it takes to write the entry of a run; the next run cannot begin before that. */
const notingMs = 5_000

export const schedulesOf = (
  { name, uid = '' }: { name: string; uid?: string | undefined },
  { project, environment, source }: AppSpec,
  release: string,
): FunctionSchedule[] =>
  (source.function?.triggers ?? []).map(({ name: trigger, schedule }) => ({
    app: name,
    uid,
    project,
    environment,
    trigger,
    schedule,
    release,
  }))

/**
 * The kept runs with `run` added, oldest first; unchanged where `run` is among them. Planned times of the same release
 * that passed since the run before, or since the release runs, are added as skipped or missed: nothing else records
 * them. `since`, RFC 3339, is when the release began to run; undefined where that is not known.
 */
export function withRun(
  runs: readonly FunctionRun[],
  run: FunctionRun,
  { schedule, since }: { schedule: string; since?: string | undefined },
): FunctionRun[] {
  if (runs.some(({ id }) => id === run.id)) return [...runs]
  const before = runs.findLast(({ id, planned }) => id !== '' && planned < run.planned)
  const from = before?.release === run.release ? before.planned : laterOf(before?.planned, since)
  const lost = from === undefined ? [] : lostBetween({ from, before }, run, schedule)
  const noted = [...runs, ...lost, { ...run, message: shortened(run.message) }]
  return noted.toSorted((one, other) => (one.planned < other.planned ? -1 : 1)).slice(-functionRunsKept)
}

/**
 * How many runs of the newest release failed since one succeeded; skipped runs do not count, as they show nothing about
 * the function.
 */
export function failuresOf(runs: readonly FunctionRun[]): number {
  const ofRelease = runs.filter(({ release }) => release === runs.at(-1)?.release)
  const since = ofRelease.slice(ofRelease.findLastIndex(({ phase }) => phase === 'Succeeded') + 1)
  return since.filter(({ phase }) => phase !== 'Skipped').reduce((sum, { times = 1 }) => sum + times, 0)
}

const shortened = (message: string): string => message.replace(/\s+/g, ' ').trim().slice(0, messageLength)

/** The later of the two; undefined where it is not known when the release began to run. */
const laterOf = (planned = '', since?: string): string | undefined =>
  since !== undefined && Date.parse(planned) > Date.parse(since) ? planned : since

function lostBetween(
  { from, before }: { from: string; before: FunctionRun | undefined },
  run: FunctionRun,
  schedule: string,
): FunctionRun[] {
  const ended = before === undefined ? 0 : Date.parse(before.planned) + before.lateMs + before.ms + notingMs
  const times = timesBetween(schedule, Date.parse(from), Date.parse(run.planned), mostBetween)
  return [
    ...together(
      times.filter((time) => time <= ended),
      'Skipped',
      'the run before was still going on',
      run.release,
    ),
    ...together(
      times.filter((time) => time > ended),
      'Missed',
      noRun,
      run.release,
    ),
  ]
}

function together(times: readonly number[], phase: RunPhase, message: string, release: string): FunctionRun[] {
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return []
  const planned = new Date(first).toISOString()
  const several = times.length === 1 ? {} : { times: times.length, until: new Date(last).toISOString() }
  return [{ id: '', release, planned, phase, lateMs: 0, ms: 0, message, ...several }]
}
