/** First half of a rollout: accepts the attempt, and applies its release to the cluster. Repeating it is harmless. */
import { deployAnew } from '../../kinds/provision/draft.ts'
import { finalizers } from '../../kinds/meta/annotations.ts'
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import { type Plan, restingPlan } from '../../kinds/apps/deploy/plan.ts'
import { viewOf, planNow } from '../../kinds/apps/view.ts'
import { withImage } from '../../kinds/apps/deploy/image.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { recordDeploy } from '../../records/store/record-deploy.ts'
import { onFreshRecord, onKnownRecord } from '../../records/store/retry.ts'
import { awaitEnvironment } from '../context/environment-ready.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { notifyStarted } from '../webhooks/notify.ts'
import { writeAppStatus } from '../kube/write-status.ts'
import { awaitBuild, builtAt } from './await-build.ts'
import { awaitImage } from './await-built-image.ts'
import { endFormer, isRunAgain, markAccepted, superseded, type Taking } from './accept-attempt.ts'
import { asksRegistry, freezeImage } from './freeze-image.ts'
import { awaitHosts } from './host-free.ts'
import type { PrepareInput, Prepared, PreparedInTask, Started, StartInput } from './messages.ts'
import { refusalOf, usedUp, writeWait } from './refusals.ts'
import { type Applying, applyRelease } from './release-objects.ts'
import { removeIfGone } from './remove-objects.ts'

/** The plan of the record; if that is a rollout, its first half is done on the same read of the record. */
export const start =
  (needs: ActivityNeeds) =>
  (input: StartInput): Promise<Started> =>
    beforeWait(
      needs,
      input,
      () => startNow(needs, input.name),
      ({ prepared }) => prepared,
    )

const startNow = (needs: ActivityNeeds, name: string): Promise<Started> =>
  onKnownRecord<App, Started>(
    needs.apps,
    name,
    undefined,
    async (app, isLive) => {
      const plan = viewOf(app).plan
      const { story, uid, attempt } = plan
      if (story !== 'deploy' && story !== 'reconcile') return isLive ? { plan } : undefined
      const prepared = await prepareKnown(needs, { name, uid, attempt, story }, app, isLive)
      return prepared === undefined ? undefined : { plan, prepared }
    },
    () => ({ plan: restingPlan(name) }),
  )

/** Keeps the watch's events of the copies from the beginning of the pass on, for the wait that follows the pass. */
async function beforeWait<R>(
  { copiesNews }: ActivityNeeds,
  { name, waits = false }: StartInput,
  pass: () => Promise<R>,
  preparedOf: (result: R) => PreparedInTask | undefined,
): Promise<R> {
  if (!waits) return pass()
  copiesNews.expect(name)
  let follows = false
  try {
    const result = await pass()
    const prepared = preparedOf(result)
    follows = prepared?.outcome === 'applied' && !prepared.unmoved
    return result
  } finally {
    if (follows) copiesNews.follow(name)
    else copiesNews.release(name)
  }
}

/** `prepare` within a workflow task: does nothing if a registry is needed, whose answer may take too long. */
export const prepareInTask =
  (needs: ActivityNeeds) =>
  (input: PrepareInput): Promise<PreparedInTask> =>
    beforeWait<PreparedInTask>(
      needs,
      input,
      () =>
        onKnownRecord<App, PreparedInTask>(
          needs.apps,
          input.name,
          input.uid,
          (app, isLive) => prepareKnown(needs, input, app, isLive),
          (other) => ({ outcome: 'changed', plan: planNow(input.name, other) }),
        ),
      (prepared) => prepared,
    )

export const prepare =
  (needs: ActivityNeeds) =>
  (input: PrepareInput): Promise<Prepared> =>
    onFreshRecord(
      needs.apps,
      input.name,
      input.uid,
      (app) => prepareLive(needs, input, app),
      (other) => ({ outcome: 'changed', plan: planNow(input.name, other) }),
    )

/** Undefined if the cached record must not decide, since the pass would write before a write checks its version. */
async function prepareKnown(
  needs: ActivityNeeds,
  input: PrepareInput,
  app: App,
  isLive: boolean,
): Promise<PreparedInTask | undefined> {
  const { attempt, effectiveSpec: spec } = viewOf(app)
  const isAsked = attempt?.record === input.attempt && spec !== undefined
  if (isAsked && input.story === 'deploy' && asksRegistry(needs, app, spec, attempt)) return { outcome: 'long' }
  if (isLive) return prepareLive(needs, input, app)
  // The build is made before the status is written, so a cached record cannot decide on it.
  if (spec?.source.git !== undefined && viewOf(app).frozenImage === undefined) return undefined
  return isAsked && isUndisturbed(app, attempt, input.story) ? prepareOn(needs, input, app, { isLive }) : undefined
}

const prepareLive = (needs: ActivityNeeds, input: PrepareInput, app: App): Promise<Prepared> =>
  prepareOn(needs, input, app, { isLive: true })

/**
 * Whether the status that accepts the attempt is the first write of the pass: then a stale record ends in a conflict.
 */
function isUndisturbed(app: App, attempt: Attempt, action: PrepareInput['story']): boolean {
  const view = viewOf(app)
  return (
    view.plan.story === action &&
    view.unreadable === undefined &&
    app.metadata.finalizers?.includes(finalizers.app) === true &&
    app.status?.acceptedIntent !== view.intent &&
    superseded(app, attempt).size === 0 &&
    (action !== 'deploy' || !isRunAgain(app, attempt))
  )
}

async function prepareOn(
  needs: ActivityNeeds,
  input: PrepareInput,
  app: App,
  { isLive }: { isLive: boolean },
): Promise<Prepared> {
  const view = viewOf(app)
  const { attempt, effectiveSpec: spec, unreadable } = view
  const { plan } = view
  if (unreadable !== undefined && plan.story === 'reconcile')
    return { outcome: 'changed', plan: viewOf(await writeUnreadable(needs, app, unreadable)).plan }
  // A deploy that has ended stays ended: a late repetition by a worker that was cut off would start it once more.
  const actions = input.story === 'deploy' ? ['deploy'] : ['deploy', 'reconcile', 'rest']
  if (attempt?.record !== input.attempt || spec === undefined || !actions.includes(plan.story))
    return { outcome: 'changed', plan }
  const held = await withFinalizer(needs, app)
  const built = spec.source.git === undefined ? undefined : await awaitBuild(needs, held, spec, attempt, input.story)
  if (built !== undefined && built.state !== 'built')
    return awaitImage(needs, input.story, { app: held, attempt, spec }, built)
  const [frozenImage] =
    input.story === 'deploy'
      ? await Promise.all([built?.image ?? freezeImage(needs, held, spec, attempt), endFormer(needs, held, attempt)])
      : [built?.image ?? viewOf(held).frozenImage]
  const taking: Taking = { attempt, spec, action: input.story, frozenImage }
  const begin = () => acceptAndApply(needs, held, taking, isLive)
  return input.story === 'deploy' ? withRolloutTurn(needs, held.metadata.name, spec.project, begin) : begin()
}

/** Begins a deploy when few others of this worker wait for their first copy. */
async function withRolloutTurn(
  { rolloutTurns }: ActivityNeeds,
  name: string,
  project: string,
  begin: () => Promise<Prepared>,
): Promise<Prepared> {
  await rolloutTurns.begin(name, project)
  let isMoved = false
  try {
    const prepared = await begin()
    isMoved = prepared.outcome === 'applied' && !prepared.unmoved
    return prepared
  } finally {
    if (isMoved) rolloutTurns.applied(name)
    else rolloutTurns.end(name)
  }
}

async function acceptAndApply(needs: ActivityNeeds, app: App, taking: Taking, isLive: boolean): Promise<Prepared> {
  const { attempt, spec, action } = taking
  const { observedIntent, acceptedIntent, lastAttempt } = app.status ?? {}
  const begun = performance.now()
  const taken = await markAccepted(needs, app, taking)
  if (action === 'deploy') await notifyStarted(needs, taken, lastAttempt?.id === attempt.record)
  // The accepting status had this status as its condition, so no other pass has applied anything of the service.
  const isNew = observedIntent === undefined && acceptedIntent === undefined && lastAttempt === undefined
  const isCalm = observedIntent !== undefined || acceptedIntent === undefined
  return rollOut(needs, action, { app: taken, attempt, spec, begun }, { isLive, isCalm, isNew })
}

interface Rollout {
  app: App
  attempt: Attempt
  spec: AppSpec
  /** When the pass accepted it, milliseconds of a clock that never goes back. */
  begun: number
}

/** Waits for what must come first, then applies the release. */
async function rollOut(
  needs: ActivityNeeds,
  action: 'deploy' | 'reconcile',
  { app, attempt, spec, begun }: Rollout,
  applying: Applying,
): Promise<Prepared> {
  let taken = app
  const awaited = async () => (await awaitEnvironment(needs, taken.spec)) ?? (await awaitHosts(needs, taken, spec))
  const wait = await awaited()
  if (wait !== undefined) {
    taken = await writeWait(needs, taken, attempt, wait, action)
    // The watch wakes only records whose status waits, so a change before that write has to be found by a second check.
    if ((await awaited()) !== undefined) return { outcome: 'waiting', ...wait, ...ranOf(needs, taken) }
  }
  const release = async () => {
    try {
      return await applyRelease(needs, taken, withImage(spec, viewOf(taken).image), attempt, applying)
    } finally {
      // Last: the api writes the deployment record, too, and the cache has it by now unless the api died.
      await Promise.all([
        action === 'deploy' ? recordDeploy(needs.deployments, taken, attempt, spec) : undefined,
        performance.now() - begun > needs.aloneMs ? removeIfGone(needs, taken, targetNamespace(spec)) : undefined,
      ])
    }
  }
  try {
    return { outcome: 'applied', ...ranOf(needs, taken), ...(await release()) }
  } catch (error) {
    const failing = refusalOf(error)
    if (failing === undefined) throw error
    const attributes = ranOf(needs, await writeWait(needs, taken, attempt, failing, action))
    return { outcome: failing.reason === usedUp ? 'waiting' : 'failing', ...failing, ...attributes }
  }
}

/**
 * Writes that the deployed settings cannot be read: none is applied, and the record rests until a deploy or an edit.
 */
async function writeUnreadable(needs: ActivityNeeds, app: App, unreadable: string): Promise<App> {
  const { intent } = viewOf(app)
  const message = `${unreadable}; ${deployAnew}`
  await recordEvent(needs.client, app, { type: 'Warning', reason: 'Refused', message, occurrence: intent }, needs.now())
  return writeAppStatus(
    needs,
    app,
    { ready: false, reason: 'Refused', message },
    { observedIntent: intent, acceptedIntent: intent },
  )
}

function ranOf(needs: ActivityNeeds, app: App): { plan: Plan; ranMs?: number } {
  const plan = viewOf(app).plan
  const since = Math.max(plan.startedAt, builtAt(needs, app))
  return plan.startedAt === 0 ? { plan } : { plan, ranMs: Math.max(0, needs.now().getTime() - since) }
}

/** Adds the finalizer again if it was removed by hand: without it a deletion would leave the copies running. */
async function withFinalizer(needs: ActivityNeeds, app: App): Promise<App> {
  if (app.metadata.finalizers?.includes(finalizers.app) === true) return app
  const held = await needs.apps.edit(app.metadata.name, (current) =>
    current.metadata.uid !== app.metadata.uid ||
    current.metadata.deletionTimestamp !== undefined ||
    current.metadata.finalizers?.includes(finalizers.app) === true
      ? undefined
      : {
          ...current,
          metadata: { ...current.metadata, finalizers: [...(current.metadata.finalizers ?? []), finalizers.app] },
        },
  )
  return held ?? app
}
