/**
 * The view of a service's record: its annotations parsed by their schemas, and what follows from them, up to the next
 * action, which the watch, the workflow and the resync share. Rules take this view.
 */
import { deploymentRecordsKept } from '../../contract/limits.ts'
import { annotations, finalizers } from '../meta/annotations.ts'
import type { ReadyReason } from '../meta/condition-reasons.ts'
import { digest } from '../meta/digest.ts'
import { deletedBy } from '../provision/deletion-request.ts'
import { editedBy } from '../provision/edited-by.ts'
import { type Draft, draftOf, type PendingChange } from '../provision/draft.ts'
import { parseAnnotation } from '../meta/parse-annotation.ts'
import type { Condition } from '../meta/resource.ts'
import { type Attempt, attemptSchema } from './deploy/attempt.ts'
import { appDraft } from './spec/draft.ts'
import type { FrozenImage } from './deploy/image.ts'
import type { App, AppSpec, AppStatus, Success } from './kind.ts'
import { activeRecordName, ownedLabels, recordLabels } from './names.ts'
import { targetNamespace } from './spec/place.ts'
import { type Plan, type ReconcileAction, restingPlan } from './deploy/plan.ts'

export interface ServiceView extends Draft<AppSpec> {
  readonly app: App
  /** The attempt that the record asks for; undefined when there is none, or the annotation cannot be read. */
  readonly attempt: Attempt | undefined
  /** Whether that attempt has neither succeeded nor failed yet. */
  readonly attemptGoesOn: boolean
  /** Whether a worker has accepted that attempt, and it has not ended. */
  readonly attemptRuns: boolean
  /** Whether that attempt has succeeded. */
  readonly attemptSucceeded: boolean
  /** The image that was frozen for that attempt; undefined before the freeze, and for a reference with a digest. */
  readonly frozenImage: FrozenImage | undefined
  /** The image that the copies run, as a reference; '' where no attempt has decided it yet, and for a draft. */
  readonly image: string
  /** The Ready condition; undefined where no status was written yet. */
  readonly ready: Condition<ReadyReason<'app'>> | undefined
  /** The intent token: it differs from status.observedIntent exactly when there is work to do. */
  readonly intent: string
  /** The namespace of the effective spec; for a draft, that of the saved spec. */
  readonly namespace: string
  /** The name of the deployment record that shows what runs now. */
  readonly activeRecord: string
  /** The labels of what is made for it there, and of the records that stand for it. */
  readonly labels: Readonly<Record<'owned' | 'record', Record<string, string>>>
  /** Namespaces in which it ran or began to run before; its objects there are removed once it runs in `namespace`. */
  readonly leaving: readonly string[]
  /** What the record asks for next; computed on first use. */
  readonly plan: Plan
  /**
   * What a deploy of the saved spec would change in the last deployed one; undefined where that is not known. Computed
   * on first use.
   */
  readonly undeployed: readonly PendingChange[] | undefined
}

/**
 * One view per version of a record. The watch, the worker and each answer of the api look at the same object again and
 * again, and cached records are never changed in place.
 */
const views = new WeakMap<App, ServiceView>()

/** The view of this version of the record; made once. */
export function viewOf(app: App): ServiceView {
  const view = views.get(app) ?? makeView(app)
  views.set(app, view)
  return view
}

/**
 * Makes the view of a record after a write of its status alone. The write was conditional on the version `before`, so
 * metadata and spec are the same and are not parsed again.
 */
export function keepView(before: App, written: App): void {
  const known = views.get(before)
  if (known !== undefined && !views.has(written)) views.set(written, viewWith(written, known))
}

/** The part of a view that follows from metadata and spec, whatever the status has. */
type Asked = Omit<
  ServiceView,
  'app' | 'attemptGoesOn' | 'attemptRuns' | 'attemptSucceeded' | 'frozenImage' | 'image' | 'ready' | 'leaving' | 'plan'
>

function makeView(app: App): ServiceView {
  const draft = draftOf(appDraft, app)
  const { value: attempt, unreadable: noAttempt = `the annotation ${annotations.attempt} is missing` } =
    parseAnnotation(app.metadata, annotations.attempt, attemptSchema)
  const { pendingChanges, effectiveSpec } = draft
  const isChanged = effectiveSpec !== undefined && pendingChanges.length > 0 && !pendingChanges.includes('created')
  const { name, uid = '' } = app.metadata
  const place = effectiveSpec ?? app.spec
  let undeployed: PendingChange[] | undefined
  return viewWith(app, {
    attempt,
    intent: intentOf(app, effectiveSpec, attempt),
    namespace: targetNamespace(place),
    activeRecord: activeRecordName(name),
    labels: { owned: ownedLabels({ ...place, name, uid }), record: recordLabels(place) },
    pendingChanges,
    effectiveSpec,
    unreadable: draft.unreadable ?? (isChanged && attempt === undefined ? noAttempt : undefined),
    get lastDeployed() {
      return draft.lastDeployed
    },
    get undeployed() {
      if (undeployed !== undefined) return undeployed
      const { lastDeployed } = draft
      return lastDeployed === undefined ? undefined : (undeployed ??= appDraft.changes(lastDeployed, app.spec))
    },
  })
}

function viewWith(app: App, asked: Asked): ServiceView {
  const { attempt, intent, namespace, activeRecord, labels, pendingChanges, effectiveSpec, unreadable } = asked
  const {
    lastAttempt: last,
    frozenImage: frozen,
    conditions,
    leaving = [],
    targetNamespace: before = namespace,
  } = app.status ?? {}
  const attemptRuns = attempt !== undefined && last?.id === attempt.record && last.phase === 'Running'
  const attemptGoesOn = attempt !== undefined && (last?.id !== attempt.record || attemptRuns)
  const frozenImage = attempt !== undefined && frozen?.attempt === attempt.record ? frozen : undefined
  let plan: Plan | undefined
  return {
    app,
    attempt,
    attemptGoesOn,
    attemptRuns,
    attemptSucceeded: attempt !== undefined && last?.id === attempt.record && last.phase === 'Succeeded',
    frozenImage,
    image: effectiveSpec === undefined ? '' : imageThatRuns(effectiveSpec, frozenImage),
    ready: conditions?.find((each): each is Condition<ReadyReason<'app'>> => each.type === 'Ready'),
    intent,
    namespace,
    activeRecord,
    labels,
    leaving: [...new Set([...leaving, before])].filter((each) => each !== namespace),
    pendingChanges,
    effectiveSpec,
    unreadable,
    get lastDeployed() {
      return asked.lastDeployed
    },
    get undeployed() {
      return asked.undeployed
    },
    get plan() {
      return (plan ??= planOf(this))
    },
  }
}

/**
 * How the newest attempts that succeeded ended, oldest first: those in `status.history`, and that of `lastAttempt`,
 * which workers of earlier releases did not add there. There are as many as there are deployment records, so every kept
 * record that succeeded has its own. The same array as in the status where nothing is added.
 */
export function successesIn({ history = [], lastAttempt: last, frozenImage }: AppStatus = {}): Success[] {
  if (last?.phase !== 'Succeeded') return history
  const { id, summary = '', completedAt = last.startedAt, startedAt = completedAt } = last
  if (startedAt === undefined || completedAt === undefined) return history
  if (history.some((known) => known.id === id && known.completedAt === completedAt)) return history
  const { image, note } = frozenImage?.attempt === id ? frozenImage : {}
  const earlier = history.filter((known) => known.id !== id)
  return [...earlier, { id, startedAt, completedAt, summary, image, note }].slice(-deploymentRecordsKept)
}

/**
 * The frozen image has the digest that the tag named when the attempt began, whatever the tag names today
 * (docs/reference/deployments.md#releases). A function and a git service have no other.
 */
function imageThatRuns({ source: { image } }: AppSpec, frozen: FrozenImage | undefined): string {
  if (image === undefined) return frozen?.image ?? ''
  const isOfSpec = frozen?.image.split('@')[0] === image.image
  return isOfSpec ? frozen.image : image.image
}

/**
 * A digest of uid, effective spec, accepted attempt, retry token and deletion. `generation` will not do: an edit of a
 * draft raises it and must not apply, while a redeploy may change annotations only.
 */
function intentOf({ metadata }: App, spec: AppSpec | undefined, attempt: Attempt | undefined): string {
  if (metadata.deletionTimestamp !== undefined) return digest([metadata.uid, 'deleted'])
  if (spec === undefined) return digest([metadata.uid, 'draft'])
  return digest([metadata.uid, spec, attempt?.record, metadata.annotations?.[annotations.retry]])
}

/** The plan of the service of this name, whether its record exists or not. */
export const planNow = (name: string, app: App | undefined): Plan =>
  app === undefined ? restingPlan(name) : viewOf(app).plan

function planOf(view: ServiceView): Plan {
  const { app, attempt, attemptRuns, intent } = view
  const startedAt = app.status?.lastAttempt?.startedAt
  const story = nextAction(view)
  return {
    story,
    name: app.metadata.name,
    uid: app.metadata.uid ?? '',
    intent,
    attempt: attempt?.record ?? '',
    operation: attempt?.operation ?? '',
    project: app.spec.project,
    environment: app.spec.environment,
    actor: actorOf(view, story),
    startedAt: attemptRuns && startedAt !== undefined ? Date.parse(startedAt) : 0,
  }
}

/** A deploy that goes on is that of who asked for it, even if another one changes a live setting meanwhile. */
function actorOf({ app, attempt }: ServiceView, story: ReconcileAction): string {
  if (story === 'remove') return deletedBy(app.metadata)
  const isOfEdit = story === 'reconcile' || (story === 'deploy' && isRetried(app))
  return (isOfEdit ? editedBy(app.metadata) : undefined) ?? attempt?.actor ?? ''
}

function nextAction(view: ServiceView): ReconcileAction {
  const { app, effectiveSpec, attemptGoesOn } = view
  if (app.metadata.deletionTimestamp !== undefined)
    return app.metadata.finalizers?.includes(finalizers.app) === true ? 'remove' : 'rest'
  if (!hasWork(view)) return joinsPending(view) ? 'note' : asksForRollback(view) ? 'putBack' : 'rest'
  if (effectiveSpec === undefined) return 'withdraw'
  if (asksForDeployByEdit(view)) return 'adopt'
  return attemptGoesOn || isRetried(app) ? 'deploy' : 'reconcile'
}

/** Whether the intent of the record has not been reconciled yet. A draft that never ran needs no workflow. */
function hasWork({ app: { status }, effectiveSpec, intent }: ServiceView): boolean {
  const wasObserved = status?.observedIntent !== undefined || status?.acceptedIntent !== undefined
  return intent !== status?.observedIntent && (effectiveSpec !== undefined || wasObserved)
}

/** Whether an edit by kubectl has to be deployed: it changed a spec without pending changes, or enabled a draft. */
export function asksForDeployByEdit(view: ServiceView): boolean {
  const { app, attempt, pendingChanges } = view
  if (app.metadata.deletionTimestamp !== undefined || !app.spec.deploy.enabled) return false
  if (pendingChanges.length > 0) return pendingChanges.includes('created')
  const { undeployed } = view // found only here: at rest it is not needed
  return undeployed === undefined || attempt === undefined || undeployed.length > 0
}

/** Whether more is pending than the annotation lists, since kubectl edited a spec with pending changes. */
export function joinsPending(view: ServiceView): boolean {
  const { app, pendingChanges } = view
  if (!app.spec.deploy.enabled || pendingChanges.length === 0) return false
  return view.undeployed?.some((word) => !pendingChanges.includes(word)) === true
}

/**
 * True when the deploy in effect has failed for good, the service wants failed deploys rolled back, and a release was
 * up before it. A rollback that fails is not rolled back in turn.
 */
export function asksForRollback({ app, attempt, effectiveSpec, ready }: ServiceView): boolean {
  const { lastAttempt, release = '' } = app.status ?? {}
  if (app.metadata.deletionTimestamp !== undefined || effectiveSpec?.deploy.rollbackOnFailure !== true) return false
  if (
    attempt === undefined ||
    attempt.operation === 'rollback' ||
    lastAttempt?.id !== attempt.record ||
    lastAttempt.phase !== 'Failed'
  )
    return false
  return ready?.status !== 'True' && release !== '' && release !== attempt.record
}

function isRetried(app: App): boolean {
  return (app.metadata.annotations?.[annotations.retry] ?? '') !== (app.status?.reconcileRetry?.token ?? '')
}
