/**
 * A service's record, looked at once: its annotations parsed by their schemas, and what follows from them. Rules take
 * this view.
 */

import { deploymentRecordsKept } from '../../contract/limits.ts'
import { annotations } from '../meta/annotations.ts'
import type { ReadyReason } from '../meta/condition-reasons.ts'
import { readyOf } from '../meta/conditions.ts'
import { digest } from '../meta/digest.ts'
import { type Draft, draftOf, type PendingChange } from '../provision/draft.ts'
import { parseAnnotation } from '../meta/parse-annotation.ts'
import type { Condition } from '../meta/resource.ts'
import { type Attempt, attemptSchema } from './attempt.ts'
import { appDraft } from './draft.ts'
import type { App, AppSpec, AppStatus } from './kind.ts'

export interface ServiceView extends Draft<AppSpec> {
  readonly app: App
  /** The attempt that the record asks for; undefined when there is none, or the annotation cannot be read. */
  readonly attempt: Attempt | undefined
  /** Whether that attempt has neither succeeded nor failed yet. */
  readonly attemptGoesOn: boolean
  /** Whether a worker has accepted that attempt, and it has not ended. */
  readonly attemptRuns: boolean
  /**
   * The image that was frozen for that attempt; undefined before that, and for references that name a digest
   * themselves.
   */
  readonly frozenImage: AppStatus['frozenImage']
  /** Its Ready condition; undefined where no status was written yet. */
  readonly ready: Condition<ReadyReason<'app'>> | undefined
  /** The intent token: it differs from status.observedIntent exactly when there is work to do. */
  readonly intent: string
  /**
   * What a deploy of all that is saved would change where the last deployed spec runs; undefined where that is not
   * known. Found when it is asked for.
   */
  readonly undeployed: readonly PendingChange[] | undefined
}

/**
 * Records are never changed in place: the watch, the worker and each answer of the api ask for the same object again
 * and again.
 */
const views = new WeakMap<App, ServiceView>()

/** The view of this version of the record; made once. */
export function viewOf(app: App): ServiceView {
  const view = views.get(app) ?? look(app)
  views.set(app, view)
  return view
}

/**
 * Called with the record before and after a write of its status, which was made on condition of its version: nothing
 * else of it has changed, so that is not read again.
 */
export function keepView(before: App, written: App): void {
  const known = views.get(before)
  if (known !== undefined && !views.has(written)) views.set(written, viewWith(written, known))
}

/** What follows from the metadata and the spec of a record, whatever its status says. */
type Asked = Omit<ServiceView, 'app' | 'attemptGoesOn' | 'attemptRuns' | 'frozenImage' | 'ready'>

function look(app: App): ServiceView {
  const draft = draftOf(appDraft, app)
  const { value: attempt, unreadable: noAttempt = `the annotation ${annotations.attempt} is missing` } =
    parseAnnotation(app.metadata, annotations.attempt, attemptSchema)
  const { pendingChanges, effectiveSpec } = draft
  const isChanged = effectiveSpec !== undefined && pendingChanges.length > 0 && !pendingChanges.includes('created')
  let undeployed: PendingChange[] | undefined
  return viewWith(app, {
    attempt,
    intent: intentOf(app, effectiveSpec, attempt),
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
  const { attempt, intent, pendingChanges, effectiveSpec, unreadable } = asked
  const { lastAttempt: last, frozenImage, conditions } = app.status ?? {}
  const attemptRuns = attempt !== undefined && last?.id === attempt.record && last.phase === 'Running'
  const attemptGoesOn = attempt !== undefined && (last?.id !== attempt.record || attemptRuns)
  return {
    app,
    attempt,
    attemptGoesOn,
    attemptRuns,
    frozenImage: attempt !== undefined && frozenImage?.attempt === attempt.record ? frozenImage : undefined,
    ready: readyOf<'app'>(conditions),
    intent,
    pendingChanges,
    effectiveSpec,
    unreadable,
    get lastDeployed() {
      return asked.lastDeployed
    },
    get undeployed() {
      return asked.undeployed
    },
  }
}

/**
 * Over uid, the spec in effect, the accepted attempt, the retry token and the deletion. Generation will not do: editing
 * a draft bumps it and must not apply, while a redeploy may change annotations only.
 */
function intentOf({ metadata }: App, spec: AppSpec | undefined, attempt: Attempt | undefined): string {
  if (metadata.deletionTimestamp !== undefined) return digest([metadata.uid, 'deleted'])
  if (spec === undefined) return digest([metadata.uid, 'draft'])
  return digest([metadata.uid, spec, attempt?.record, metadata.annotations?.[annotations.retry]])
}

/**
 * What an attempt accepted now supersedes; an attempt that a worker has started has written the end of those before it.
 */
export function supersededBy({
  app,
  attempt,
  attemptGoesOn,
}: ServiceView): Pick<Attempt, 'supersedes' | 'alsoSupersedes'> {
  if (attempt === undefined || !attemptGoesOn) return {}
  const { record, supersedes, alsoSupersedes = [] } = attempt
  const unwritten =
    app.status?.lastAttempt?.id === record ? [] : [...(supersedes === undefined ? [] : [supersedes]), ...alsoSupersedes]
  return {
    supersedes: record,
    ...(unwritten.length === 0 ? {} : { alsoSupersedes: unwritten.slice(0, deploymentRecordsKept) }),
  }
}
