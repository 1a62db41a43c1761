/** Lists and reads workflow runs for the api (docs/reference/runs.md). */
import { type Client, isGrpcServiceError } from '@temporalio/client'
import proto from '@temporalio/proto'
import { defined } from '../../contract/defined.ts'
import { runEventsMax } from '../../contract/limits.ts'
import type { Params, View } from '../../contract/operations.ts'
import { refusedCursor } from '../../contract/runs/words.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import { resyncScheduleId } from '../../durable/ids.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { controlQueue, webhookQueue } from '../../durable/queues.ts'
import { searchAttributes } from '../../durable/search-attributes.ts'
import { continuedOf, failureOf, readSteps, timeOf, valueOf } from './run-steps.ts'

type Run = View<'runs.list'>['items'][number]
type RunInfo = proto.temporal.api.workflow.v1.IWorkflowExecutionInfo
type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent

const { WorkflowExecutionStatus: Status } = proto.temporal.api.enums.v1
const deadlineMs = 10_000
const pageLength = 1000

export interface Runs {
  list(wanted: Params<'runs.list'>): Promise<View<'runs.list'>>
  /** Throws Problem `not_found` for a run that does not exist, or is kept no longer. */
  get(run: string): Promise<View<'runs.get'>>
}

export interface RunsOptions {
  readonly client: Client
  readonly searchable: boolean
  /** Address of Temporal's web UI, without a slash at its end; undefined if it is not set. */
  readonly pages?: string | undefined
}

/** All calls throw Problem `internal_error` while Temporal does not answer. */
export function createRuns({ client, searchable, pages }: RunsOptions): Runs {
  const inTime = <R>(call: () => Promise<R>): Promise<R> => answered(client, call)
  return {
    list: (wanted) => inTime(() => listRuns(client, wanted, searchable)),
    get: (run) => inTime(() => getRun(client, run, pages)),
  }
}

/** Throws Problem `internal_error` while Temporal does not answer. */
export async function answered<R>(client: Client, call: () => Promise<R>): Promise<R> {
  try {
    return await client.withDeadline(Date.now() + deadlineMs, call)
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error
    throw new Problem('internal_error', 'the runs could not be read; try again', error)
  }
}

async function listRuns(
  client: Client,
  { limit, cursor, ...filter }: Params<'runs.list'>,
  searchable: boolean,
): Promise<View<'runs.list'>> {
  const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query: queryOf(filter, searchable),
    pageSize: limit,
    nextPageToken: tokenOf(cursor),
  })
  return { items: executions.map(runOf), cursor: cursorOf(nextPageToken) }
}

const checkLength = 8

/** The page token with a checksum: Temporal takes many tries to refuse a token that it did not create. */
function cursorOf(token: Uint8Array): string {
  const text = Buffer.from(token).toString('base64url')
  return text === '' ? '' : `${text}.${digest(text).slice(0, checkLength)}`
}

function tokenOf(cursor: string): Buffer {
  const [text = '', check] = cursor.split('.')
  if (cursor !== '' && check !== digest(text).slice(0, checkLength)) throw refuse(refusedCursor)
  return Buffer.from(text, 'base64url')
}

/** Without the resync, which is no operation on a record, and runs that continued as new: their successor is listed. */
const always = [
  `TaskQueue IN ("${controlQueue}", "${webhookQueue}")`,
  `WorkflowType != "${resyncScheduleId}"`,
  'ExecutionStatus != "ContinuedAsNew"',
]

const statusesOf = {
  running: ['Running'],
  ended: ['Completed'],
  failed: ['Failed'],
  stopped: ['Terminated', 'Canceled', 'TimedOut'],
} as const

type Filter = Omit<Params<'runs.list'>, 'limit' | 'cursor'>

/** The filter as a query of Temporal's visibility. Throws Problem for a filter by unregistered search attributes. */
function queryOf({ kind, outcome, ...tags }: Filter, searchable: boolean): string {
  const tagged = Object.entries(defined(tags)).filter(([, value]) => value !== '')
  if (tagged.length > 0 && !searchable)
    throw refuse(`${tagged[0]?.[0]} cannot be searched for: SVC_SEARCH_ATTRIBUTES is off`)
  return [
    ...always,
    ...(kind === undefined ? [] : [`WorkflowId STARTS_WITH ${quoted(`${kind}/`)}`]),
    ...(outcome === undefined ? [] : [`ExecutionStatus IN (${statusesOf[outcome].map(quoted).join(', ')})`]),
    ...tagged.map(([name, value]) => `${searchAttributes[name as keyof typeof tags].name} = ${quoted(value)}`),
  ].join(' AND ')
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`

function runOf({ execution, status, startTime, closeTime, searchAttributes: tags }: RunInfo): Run {
  const workflow = execution?.workflowId ?? ''
  const slash = workflow.indexOf('/')
  const tag = (key: keyof typeof searchAttributes): string => {
    const value = valueOf(tags?.indexedFields?.[searchAttributes[key].name])
    return typeof value === 'string' ? value : ''
  }
  return {
    id: execution?.runId ?? '',
    workflow,
    kind: workflow.slice(0, Math.max(slash, 0)),
    resource: tag('resource') || workflow.slice(slash + 1),
    project: tag('project'),
    environment: tag('environment'),
    action: tag('operation'),
    actor: tag('actor'),
    outcome: outcomeOf(status),
    startedAt: timeOf(startTime),
    ...defined({ endedAt: timeOf(closeTime) || undefined, phase: tag('phase') || undefined }),
  }
}

export function outcomeOf(status: RunInfo['status']): Run['outcome'] {
  if (status === Status.WORKFLOW_EXECUTION_STATUS_RUNNING) return 'running'
  if (status === Status.WORKFLOW_EXECUTION_STATUS_FAILED) return 'failed'
  const isStopped =
    status === Status.WORKFLOW_EXECUTION_STATUS_TERMINATED ||
    status === Status.WORKFLOW_EXECUTION_STATUS_CANCELED ||
    status === Status.WORKFLOW_EXECUTION_STATUS_TIMED_OUT
  return isStopped ? 'stopped' : 'ended'
}

/** The run as it is listed; undefined for a run that does not exist, or is kept no longer. */
export async function findRun(client: Client, id: string): Promise<RunInfo | undefined> {
  const { namespace } = client.options
  const query = `${always[0]} AND RunId = ${quoted(id)}`
  const { executions } = await client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: 1 })
  return executions[0]
}

async function getRun(client: Client, id: string, pages: string | undefined): Promise<View<'runs.get'>> {
  const { namespace } = client.options
  const info = await findRun(client, id)
  if (info === undefined) throw new Problem('not_found', 'run not found')
  const execution = { workflowId: info.execution?.workflowId ?? '', runId: id }
  const [{ pendingActivities }, events] = await Promise.all([
    client.workflowService.describeWorkflowExecution({ namespace, execution }),
    newestEvents(client, execution),
  ])
  const shortened = Number(events[0]?.eventId ?? 1) !== 1
  return {
    ...runOf(info),
    steps: readSteps(events, pendingActivities),
    ...defined({ failure: failureOf(events.at(-1)), continues: continuedOf(events[0]) }),
    ...(pages === undefined ? {} : { page: pageOf(pages, namespace, execution) }),
    shortened,
  }
}

const pageOf = (pages: string, namespace: string, { workflowId, runId }: { workflowId: string; runId: string }) =>
  `${pages}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}/${runId}/history`

/** The newest events of a run in their order, at most `runEventsMax`. */
async function newestEvents(
  client: Client,
  execution: proto.temporal.api.common.v1.IWorkflowExecution,
): Promise<HistoryEvent[]> {
  const newestFirst: HistoryEvent[] = []
  let nextPageToken: Uint8Array | undefined
  do {
    const page = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution,
      maximumPageSize: pageLength,
      ...defined({ nextPageToken }),
    })
    newestFirst.push(...(page.history?.events ?? []))
    nextPageToken = page.nextPageToken
  } while (nextPageToken !== undefined && nextPageToken.length > 0 && newestFirst.length < runEventsMax)
  return newestFirst.slice(0, runEventsMax).toReversed()
}
