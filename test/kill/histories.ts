/**
 * Reads every ended workflow history once: it holds no secret, the run ended in order, and its events match the
 * attempts.
 */
import type { Client } from '@temporalio/client'
import proto from '@temporalio/proto'
import { searchAttributes } from '../../durable/search-attributes.ts'
import type { Expected } from './service-breaches.ts'

type History = Parameters<typeof proto.temporal.api.history.v1.History.encode>[0]
type Event = NonNullable<History['events']>[number]

/** How the last look at an attempt ended, by the history. */
interface Recorded {
  taken: Set<string>
  ends: Map<string, 'Succeeded' | 'Failed'>
  /**
   * Attempts whose end may be in the record alone: their run was terminated by hand before it, or the worker died
   * within the task that wrote it.
   */
  cut: Set<string>
}

export interface Histories {
  /** What is wrong in the runs that ended since the last call, one sentence each. */
  breaches(secrets: ReadonlySet<string>): Promise<string[]>
  /** What the histories contradict in the record of a service. */
  against(expected: Expected): string[]
  readonly count: number
}

/**
 * By the types of their failures: what could not be made, runs of schedules that did not succeed, and a resync that met
 * a killed server; what that resync passed over is the next one's, and the records are checked for it.
 */
const expectedFailures = ['ProvisionFailed', 'RunFailed', 'RunUnknown', 'RunMissed', 'ResyncIncomplete']
const orderly = new Set(['COMPLETED', 'TERMINATED', 'CONTINUED_AS_NEW'])

export function createHistories({ workflow }: Client): Histories {
  const read = new Set<string>()
  const recordedEnds: Recorded = { taken: new Set(), ends: new Map(), cut: new Set() }
  return {
    get count() {
      return read.size
    },
    async breaches(secrets) {
      const breaches: string[] = []
      const needles = [...secrets].flatMap(formsOf)
      for await (const { workflowId, runId, status } of workflow.list()) {
        if (read.has(runId)) continue
        if (status.name === 'RUNNING') {
          breaches.push(`${workflowId} is still open`)
          continue
        }
        read.add(runId)
        const history = await workflow.getHandle(workflowId, runId).fetchHistory()
        const bytes = Buffer.from(proto.temporal.api.history.v1.History.encode(history).finish())
        if (needles.some((needle) => bytes.includes(needle)))
          breaches.push(`the history of ${workflowId} (${runId}) holds a secret value`)
        if (
          !orderly.has(status.name) &&
          !(status.name === 'FAILED' && expectedFailures.some((type) => bytes.includes(type)))
        )
          breaches.push(`${workflowId} (${runId}) ended ${status.name}`)
        if (workflowId.startsWith('app/')) listen(history.events ?? [], recordedEnds)
      }
      return breaches
    },
    against({ name, state, attempts }) {
      const last = attempts.at(-1)
      if (last === undefined) return []
      if (!recordedEnds.taken.has(last)) return [`${name}: no history has attempt ${last}`]
      const wanted = state === 'ready' ? 'Succeeded' : 'Failed'
      const end = recordedEnds.ends.get(last)
      if (end === wanted || (end === undefined && recordedEnds.cut.has(last))) return []
      return [`${name}: its histories say that ${last} ended ${end}, its record ${wanted}`]
    },
  }
}

/** A secret in plain, and in base64 at each of its three possible alignments. */
export function formsOf(secret: string): Buffer[] {
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  )
  return [secret, ...shifted].map((form) => Buffer.from(form))
}

interface Input {
  attempt?: string
}

interface Result {
  outcome?: string
  failure?: string
  plan?: { story?: string; attempt?: string }
  prepared?: Result
}

/** One call of an activity, executed within a workflow task or as a separate activity. */
interface Called {
  type: string
  /** The service's attempt; '' for the drift check of a service at rest. */
  attempt: string
  result: Result | undefined
}

const driftCheck = 'Check that what was made is still there'
const preparing = new Set(['startService', 'prepareService', 'prepareServiceInTask'])

/** Collects which attempts the runs began to deploy, and how looks at them ended or marked them failed. */
function listen(events: readonly Event[], recordedEnds: Recorded): void {
  const taken = new Set<string>()
  const atRest = new Set<string>()
  const ends = new Map<string, 'Succeeded' | 'Failed'>()
  for (const { type, attempt, result } of calls(events)) {
    // What a pass within a workflow task came to goes with a worker that dies, or is late, before it has answered: the
    // next call, whichever it is, finds the record at rest.
    const { story, attempt: recorded = '' } = result?.plan ?? {}
    if (story === 'rest' && recorded !== '') atRest.add(recorded)
    if (attempt === '') continue
    const outcome = result?.prepared?.outcome ?? result?.outcome
    if (preparing.has(type) && outcome !== undefined && outcome !== 'changed' && outcome !== 'long') taken.add(attempt)
    if (type === 'lookAtService' && outcome === 'ended')
      ends.set(attempt, result?.failure === '' ? 'Succeeded' : 'Failed')
    if (type === 'giveUpService') ends.set(attempt, 'Failed')
  }
  for (const attempt of [...taken, ...atRest]) recordedEnds.taken.add(attempt)
  for (const attempt of atRest) if (!ends.has(attempt)) recordedEnds.cut.add(attempt)
  for (const [attempt, end] of ends) recordedEnds.ends.set(attempt, end)
  if (!events.some((event) => event.workflowExecutionTerminatedEventAttributes)) return
  // By hand in the middle of its first task: that has carried the attempt out, and no history holds what it came to.
  for (const attempt of openedFor(events)) {
    taken.add(attempt)
    recordedEnds.taken.add(attempt)
  }
  for (const attempt of taken) if (!ends.has(attempt)) recordedEnds.cut.add(attempt)
}

/** The attempt whose deploy opened the run, where it was opened for one. */
function openedFor([first]: readonly Event[]): string[] {
  const { indexedFields } = first?.workflowExecutionStartedEventAttributes?.searchAttributes ?? {}
  const attempt = decoded<string>({ payloads: [indexedFields?.[searchAttributes.attempt.name] ?? {}] })
  return attempt === undefined || attempt === '' ? [] : [attempt]
}

function* calls(events: readonly Event[]): Generator<Called> {
  const asked = new Map<string, { type: string; input: Input }>()
  for (const event of events) {
    const {
      activityTaskScheduledEventAttributes: scheduled,
      activityTaskCompletedEventAttributes: completed,
      markerRecordedEventAttributes: marker,
    } = event
    if (scheduled)
      asked.set(String(event.eventId), {
        type: scheduled.activityType?.name ?? '',
        input: decoded<Input>(scheduled.input) ?? {},
      })
    const call = completed ? asked.get(String(completed.scheduledEventId)) : undefined
    if (call !== undefined) {
      const result = decoded<Result>(completed?.result)
      yield { type: call.type, attempt: call.input.attempt ?? result?.plan?.attempt ?? '', result }
    }
    // A marker holds the result of a call without its input.
    if (marker?.markerName !== 'core_local_activity') continue
    const { activity_type: type = '' } = decoded<{ activity_type?: string }>(marker.details?.['data']) ?? {}
    const result = decoded<Result>(marker.details?.['result'])
    const summary = event.userMetadata?.summary?.data
    const isDrift = summary != null && Buffer.from(summary).toString() === JSON.stringify(driftCheck)
    yield { type, attempt: isDrift ? '' : (result?.plan?.attempt ?? ''), result }
  }
}

function decoded<T>(payloads: { payloads?: { data?: Uint8Array | null }[] | null } | null | undefined): T | undefined {
  const data = payloads?.payloads?.[0]?.data
  // Written by our own activities, so the shape is known.
  return data === undefined || data === null ? undefined : (JSON.parse(Buffer.from(data).toString()) as T)
}
