/**
 * One run of a schedule: the one request to the function, and the record of its end
 * (docs/reference/functions.md#a-run).
 */
import { Context } from '@temporalio/activity'
import type { V1Service } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { RunPhase } from '../../contract/fields/words.ts'
import { hostOf } from '../../kinds/apps/hosts.ts'
import { releaseSpecOf } from '../../kinds/apps/spec/draft.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import type { FunctionRun } from '../../kinds/apps/functions/schedules.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { type Posted, postOnce } from '../../outside/functions/post.ts'
import type { FunctionTarget } from '../../outside/functions/request.ts'
import { messageOf } from '../context/at-once.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { reachableHost } from '../kube/service-address.ts'
import type { CallInput, Called, NoteInput, PlannedRun } from './messages.ts'
import { note } from './note.ts'
import { defined } from '../../contract/defined.ts'

export type CallNeeds = Pick<ActivityNeeds, 'client' | 'apps' | 'deployments' | 'placement' | 'log'>

type Trigger = NonNullable<AppSpec['source']['function']>['triggers'][number]

/** The service, trigger and address for the request of one run, read just before it. */
interface Aim {
  app: App
  trigger: Trigger
  target: FunctionTarget
}

export const createFunctionActivities = (needs: CallNeeds) => ({
  /** Must not be retried by Temporal: only the outcome `unsent` proves that no request was sent. */
  callFunction: callFunction(needs),
  noteFunctionRun: noteFunctionRun(needs),
})

const callFunction =
  (needs: CallNeeds) =>
  async (input: CallInput): Promise<Called> => {
    const aim = await aimOf(needs, input).catch((error: unknown) => unsent(messageOf(error)))
    if ('outcome' in aim) return aim
    const { app, trigger, target } = aim
    const posted = await postOnce(
      target,
      { path: trigger.path, headers: headersOf(input, trigger), body: trigger.payload },
      { withinMs: input.withinMs, signal: Context.current().cancellationSignal },
    )
    if (posted.outcome === 'unsent') return posted
    const { line, ...end } = endOf(posted)
    const message = line === '' ? end.message : `${end.message}: ${line}`
    const run = runOf({ ...input, ...end, message })
    try {
      await note(needs, app, { trigger: input.trigger, schedule: input.schedule }, run)
      return { outcome: 'ended', ...end, isNoted: true }
    } catch (error) {
      // The workflow repeats the note until it succeeds, without the line of the answer, which no history may hold.
      needs.log.warn({ app: input.app, error: messageOf(error) }, 'a run of a schedule could not be noted at once')
      return { outcome: 'ended', ...end, isNoted: false }
    }
  }

/** Repeating it is harmless: a run is recorded once. Nothing is recorded for a service that is gone. */
const noteFunctionRun =
  (needs: CallNeeds) =>
  async (input: NoteInput): Promise<void> => {
    const app = await needs.apps.readLive(input.app)
    if (app === undefined || app.metadata.uid !== input.uid || app.metadata.deletionTimestamp !== undefined) return
    await note(needs, app, { trigger: input.trigger, schedule: input.schedule }, runOf(input))
  }

/** Records a run that was terminated while its request may have been under way. */
export const noteCutRun =
  (needs: CallNeeds) =>
  (run: PlannedRun, times: Pick<NoteInput, 'lateMs' | 'ms'>): Promise<void> =>
    noteFunctionRun(needs)({ ...run, ...times, phase: 'Unknown', message: cut })

const cut = 'svc ended its run, which failed again and again: whether it ran is not known'

const unsent = (message: string): Called => ({ outcome: 'unsent', message })
const withdrawn = (message: string): Called => ({ outcome: 'withdrawn', message })

/** The result if path and payload are not known: the deployment record is gone, or cannot be read. */
const lost = (why = 'the record of its release is not kept any more'): Called => ({
  outcome: 'ended',
  phase: 'Failed',
  message: `${why}: deploy the service again`,
  ms: 0,
  isNoted: false,
})

/** Path and payload come from the release, which never changes; the address is that of the service now. */
async function aimOf(
  needs: CallNeeds,
  { app: name, uid, release, trigger: wanted }: PlannedRun,
): Promise<Aim | Called> {
  const app = await needs.apps.readLive(name)
  if (app === undefined || app.metadata.uid !== uid || app.metadata.deletionTimestamp !== undefined)
    return withdrawn('the service is gone')
  const { effectiveSpec } = viewOf(app)
  if (effectiveSpec === undefined) return withdrawn('the service is not deployed')
  const record = await needs.deployments.readLive(release)
  const { value: spec, unreadable } = record?.metadata.labels?.[labels.owner] === uid ? releaseSpecOf(record) : {}
  const trigger = spec?.source.function?.triggers.find((each) => each.name === wanted)
  if (trigger === undefined) return lost(unreadable)
  const target = await targetOf(needs, app, effectiveSpec)
  return target === undefined ? unsent('the function has no address in the cluster yet') : { app, trigger, target }
}

/** The address of the function; one that may sleep is called through the interceptor, which wakes it. */
async function targetOf(
  { client, placement }: CallNeeds,
  app: App,
  spec: AppSpec,
): Promise<FunctionTarget | undefined> {
  const { name, uid } = app.metadata
  const namespace = app.status?.targetNamespace ?? targetNamespace(spec)
  const authority = `${name}.${namespace}.svc`
  if (app.status?.scaleToZero?.active === true) {
    const { host, port } = placement.sleep.interceptor
    return { host: await reachableHost(client, host), port, authority: hostOf(name, spec, placement.autoHosts) }
  }
  const service = await client.get<Sent<V1Service>>({ type: coreTypes.service, namespace, name })
  const address = service?.metadata.labels?.[labels.owner] === uid ? (service?.spec?.clusterIP ?? '') : ''
  if (address === '' || address === 'None') return undefined
  return { ...(placement.functionEndpoint ?? { host: address, port: 80 }), authority }
}

/**
 * Each run is one CloudEvent in binary form, so that a function in `event` mode gets it too. `ce-id` is the run's id,
 * the same if the function ever receives a run twice.
 */
function headersOf({ app, trigger, id, planned }: PlannedRun, { payload }: Trigger): Record<string, string> {
  return {
    'ce-specversion': '1.0',
    'ce-type': 'dev.svc.schedule',
    'ce-source': `/apps/${app}/schedules/${trigger}`,
    'ce-id': id,
    'ce-time': planned,
    'user-agent': 'svc-schedules',
    ...(payload === '' ? {} : { 'content-type': 'application/json' }),
  }
}

interface End {
  phase: RunPhase
  message: string
  ms: number
  status?: number
  line: string
}

function endOf(posted: Exclude<Posted, { outcome: 'unsent' }>): End {
  const { ms } = posted
  if (posted.outcome === 'lost') return { phase: 'Unknown', message: posted.message, ms, line: '' }
  const { status, line } = posted
  const failed = status >= 400
  return { phase: failed ? 'Failed' : 'Succeeded', message: `answered ${status}`, ms, status, line: failed ? line : '' }
}

const runOf = ({ id, release, planned, phase, lateMs, ms, status, message }: NoteInput): FunctionRun => ({
  id,
  release,
  planned,
  phase,
  lateMs,
  ms,
  message,
  ...defined({ status }),
})
