/** Which schedules of a function run, and what svc keeps of their runs (docs/reference/functions.md#schedules). */
import { z } from 'zod'
import { timesBetween } from './calendar.ts'
import type { AppSpec } from './kind.ts'

/** A schedule of a release, without path and payload: those stay in the release. */
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

export const runPhases = ['Succeeded', 'Failed', 'Unknown', 'Skipped', 'Missed'] as const
export type RunPhase = (typeof runPhases)[number]

/** One run, or several in a row that did not begin. */
export const functionRun = z.object({
  /** Id of its workflow; '' of runs that did not begin. */
  id: z.string(),
  release: z.string(),
  /** RFC 3339; of several runs that of the first. */
  planned: z.iso.datetime(),
  phase: z.enum(runPhases),
  /** From the planned time to the request. */
  lateMs: z.number(),
  /** From the request to its end. */
  ms: z.number(),
  /** Of the answer; left out where there is none. */
  status: z.number().exactOptional(),
  message: z.string(),
  /** How many runs this stands for, where they are several, and the planned time of the last. */
  times: z.number().exactOptional(),
  until: z.iso.datetime().exactOptional(),
})
export type FunctionRun = z.output<typeof functionRun>

/** So many runs of each schedule are kept. */
const runsKept = 10
/** Of a message. */
const messageLength = 300
/** Planned times that are looked at between two runs: more than any outage that matters to a reader. */
const mostBetween = 10_000
const noRun = 'no run is known: svc or Temporal was away, the schedule was paused, or the run was ended by hand'
/** A run has to be noted before the next may begin. */
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
 * The kept runs with one more, oldest first; as they are when it is among them. Planned times of the same release that
 * passed between it and the run before, or since the release runs, are noted with it: nothing else says that they came
 * to nothing. `since` is RFC 3339, undefined where it is not known.
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
  return noted.toSorted((one, other) => (one.planned < other.planned ? -1 : 1)).slice(-runsKept)
}

/**
 * How many runs of the newest release came to nothing since one succeeded; one that was skipped says nothing of the
 * function.
 */
export function failuresOf(runs: readonly FunctionRun[]): number {
  const ofRelease = runs.filter(({ release }) => release === runs.at(-1)?.release)
  const since = ofRelease.slice(ofRelease.findLastIndex(({ phase }) => phase === 'Succeeded') + 1)
  return since.filter(({ phase }) => phase !== 'Skipped').reduce((sum, { times = 1 }) => sum + times, 0)
}

const shortened = (message: string): string => message.replace(/\s+/g, ' ').trim().slice(0, messageLength)

/** The later of the two; undefined where it is not known since when the release runs. */
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
