/**
 * Accepts a deploy: one conditional write of the service's record that everything afterwards follows from
 * (docs/reference/deployments.md#accepting-a-deploy).
 */
import { randomBytes } from 'node:crypto'
import type { ClusterClient } from '../../cluster/client.ts'
import { isInvalid } from '../../cluster/objects/errors.ts'
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import { annotations, finalizers } from '../../kinds/meta/annotations.ts'
import type { Attempt } from '../../kinds/apps/attempt.ts'
import { supersededBy, viewOf } from '../../kinds/apps/view.ts'
import { type PendingChange, withDeployed, withEnabled } from '../../kinds/provision/draft.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { withPlaceLabels } from '../../kinds/apps/place.ts'
import { recordName } from '../../kinds/apps/names.ts'
import { doneSecretEdit, secretEditGoesOn } from '../../kinds/apps/secret-edit.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { recordDeploy } from '../store/record-deploy.ts'
import type { RecordStore } from '../store/record-store.ts'
import { discardRelease, freezeKey, freezeSecrets } from './freeze-secrets.ts'
import { refuseTooLarge } from '../store/refuse-too-large.ts'
import { defined } from '../../contract/defined.ts'

export interface AcceptNeeds {
  client: ClusterClient
  apps: RecordStore<App>
  projects: RecordStore<Project>
  deployments: RecordStore<Deployment>
  now: () => Date
  /**
   * Refuses with Problem invalid_request when the cluster is short of capacity; undefined where the answer can no
   * longer be a 400.
   */
  reserve?: (app: App, wanted: AppSpec, attempt: string) => Promise<void>
}

/** What a deploy writes: the saved spec, the deployed one, and what stays undeployed. */
export interface Wanted {
  spec: AppSpec
  deployed: AppSpec
  pending: readonly PendingChange[]
  /** The values saved are others than those that are deployed. */
  secretsEdited?: boolean
}

export interface DeployRequest {
  operation: Attempt['operation']
  actor: string
  requestId: string
  title: string
  /** The deployment record's name; minted here unless the caller minted it already. */
  record?: string
  /** What is deployed and saved instead of the saved spec; decided anew on every record that was read. */
  change?: (app: App) => Wanted
  /** The frozen secrets of the release that runs are used again instead of being frozen anew. */
  keepRelease?: boolean
  /** The frozen secrets of this earlier release are used again; absent for one that had none. */
  reuse?: { release?: string }
  /** False for a rollback to a release whose copies ran before copies were confined. */
  confined?: boolean
  /** Why svc does this by itself. */
  because?: string
  /** The image as an earlier deployment ran it, with its digest. */
  image?: string
  /** The resourceVersion the caller insists on. */
  ifMatch?: string
  /**
   * Called when the deploy is accepted and its record is still to be written: the run that begins then writes it, too.
   */
  onAccepted?: (app: App) => void
}

/**
 * Each needs another write in between; many deploys of one service at once are not refused. They are no onConflict:
 * the conflict of the write is repeated within `edit`, and what is repeated here is what was refused or frozen by an
 * older record.
 */
const rounds = 20

/** Five random characters for a record name. */
export function mintRecordName(app: string): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'
  return recordName(app, [...randomBytes(5)].map((byte) => alphabet[byte % alphabet.length]).join(''))
}

/**
 * Deploys the saved spec of a service: enabled, nothing pending, last-deployed and the attempt in one write; then the
 * deployment record. Dying between the two loses nothing, since the record is made again from the annotation. Throws
 * Problem: not_found, invalid_request (being deleted, no image, no capacity).
 * @param known the record as the caller has read it, which may be old: the write is decided on what it replaces
 */
export async function acceptDeploy(needs: AcceptNeeds, known: App, request: DeployRequest): Promise<App> {
  const { name } = known.metadata
  const record = request.record ?? mintRecordName(name)
  let app = known
  for (let round = 1; ; round += 1) {
    let refusal: Problem | undefined
    try {
      const accepted = await acceptOn(needs, app, record, request)
      if (accepted !== undefined) return accepted
      if (round === rounds) throw refuse('the service is being changed; deploy again in a moment')
    } catch (error) {
      if (round > 1 || !(error instanceof Problem)) throw error
      refusal = error
    }
    // What the caller knows may be old: what was refused by that is decided on what the cluster holds.
    const live = await needs.apps.readLive(name)
    if (refusal !== undefined && live?.metadata.resourceVersion === app.metadata.resourceVersion) throw refusal
    if (live === undefined) throw new Problem('not_found', refusals.appNotFound)
    app = live
  }
}

/**
 * Undefined when it must be tried on a newer record: variables changed between being frozen and the write, so what was
 * frozen may be old, or another deploy was accepted, whose own record is not known to be made. The project is read
 * uncached, since a shared variable may have been saved through another process a moment ago.
 */
async function acceptOn(
  needs: AcceptNeeds,
  app: App,
  record: string,
  request: DeployRequest,
): Promise<App | undefined> {
  const first = await preflight(needs, app, record, request)
  const { attempt: before, attemptGoesOn, lastDeployed = app.spec } = viewOf(app)
  // The api that accepted that one may have died before it could write this; afterwards what it deployed is lost.
  if (before !== undefined && attemptGoesOn) await recordDeploy(needs.deployments, app, before, lastDeployed)
  const reused = request.keepRelease === true ? before : request.reuse
  const kept = reused !== undefined
  const release = kept
    ? reused.release
    : await freezeSecrets(needs.client, { ...app, spec: first }, () => needs.projects.readLive(first.project), record)

  let accepted: { attempt: Attempt; deployed: AppSpec } | undefined
  let stale = false
  const discard = async (): Promise<void> => {
    if (!kept && release !== undefined) await discardRelease(needs.client, app, release)
  }
  const saved = await needs.apps
    .edit(
      app.metadata.name,
      (current) => {
        const found = viewOf(current).attempt
        if (found?.record === record) {
          // Our own write, whose answer was lost.
          accepted = { attempt: found, deployed: viewOf(current).lastDeployed ?? first }
          return undefined
        }
        // This request was accepted by an earlier try, and another deploy was accepted since.
        if (
          accepted !== undefined &&
          found !== undefined &&
          [found.supersedes, ...(found.alsoSupersedes ?? [])].includes(record)
        )
          return undefined
        if (current.metadata.uid !== app.metadata.uid) throw new Problem('not_found', refusals.appNotFound)
        const another = found?.record !== before?.record && (kept || viewOf(current).attemptGoesOn)
        stale = another || (!kept && freezeKey(current) !== freezeKey(app))
        if (stale) return undefined
        const wanted = wantedOf(current, request)
        refuseUndeployable(current, wanted.deployed)
        accepted = { attempt: attemptFor(needs, current, { record, release }, request), deployed: wanted.deployed }
        return withAttempt(current, accepted.attempt, wanted, secretEditGoesOn(current, needs.now()))
      },
      request.ifMatch,
    )
    .catch(async (error: unknown) => {
      // Refused, so nothing was written; after a lost answer that is unknown, and what was frozen stays.
      if (error instanceof Problem || isInvalid(error)) await discard()
      throw error
    })
  if (stale) {
    await discard()
    return undefined
  }
  if (saved === undefined || accepted === undefined) throw new Problem('not_found', refusals.appNotFound)
  request.onAccepted?.(saved)
  await recordDeploy(needs.deployments, saved, accepted.attempt, accepted.deployed)
  return saved
}

/**
 * What refuses a deploy before anything is frozen for it; the write asks it again of the record that it replaces.
 * The last step reserves capacity. Resolves with the spec that would be deployed.
 */
async function preflight(needs: AcceptNeeds, app: App, record: string, request: DeployRequest): Promise<AppSpec> {
  const { spec, deployed } = wantedOf(app, request)
  refuseUndeployable(app, deployed)
  refuseTooLarge(spec)
  // Read for its version alone.
  if (request.ifMatch !== undefined) await needs.apps.edit(app.metadata.name, () => undefined, request.ifMatch)
  await needs.reserve?.(app, deployed, record)
  return deployed
}

function wantedOf(app: App, request: DeployRequest): Wanted {
  const wanted = request.change?.(app) ?? { spec: app.spec, deployed: app.spec, pending: [] }
  return { ...wanted, spec: withEnabled(wanted.spec), deployed: withEnabled(wanted.deployed) }
}

function attemptFor(
  needs: Pick<AcceptNeeds, 'now'>,
  app: App,
  { record, release }: { record: string; release: string | undefined },
  request: DeployRequest,
): Attempt {
  return {
    record,
    ...defined({ release }),
    operation: request.operation,
    actor: request.actor,
    requestId: request.requestId,
    title: request.title,
    at: acceptedAt(app, needs.now()),
    ...defined({ image: request.image }),
    ...(request.confined === false ? {} : { confined: true }),
    askedEarly: true,
    ...defined({ because: request.because }),
    ...supersededBy(viewOf(app)),
  }
}

/**
 * Always later than the attempt before, whatever the clocks of two processes say: by this order the releases of older
 * attempts are removed.
 */
function acceptedAt(app: App, now: Date): string {
  const before = Date.parse(viewOf(app).attempt?.at ?? '')
  return Number.isNaN(before) || before < now.getTime() ? now.toISOString() : new Date(before + 1).toISOString()
}

/** While an edit of secrets goes on, its mark stays: that edit finds out whether this deploy took the new values. */
function withAttempt(
  app: App,
  attempt: Attempt,
  { spec, deployed, pending, secretsEdited }: Wanted,
  secretEditOpen: boolean,
): App {
  const { [annotations.secretEdit]: mark, ...notes } = app.metadata.annotations ?? {}
  const secretEdit = mark ?? (secretsEdited === true ? doneSecretEdit(attempt.record) : undefined)
  const words = secretEditOpen && !pending.includes('variables') ? [...pending, 'variables' as const] : pending
  refuseTooLarge(spec)
  const kept =
    words.includes('variables') && secretEdit !== undefined ? { ...notes, [annotations.secretEdit]: secretEdit } : notes
  const metadata = {
    ...app.metadata,
    labels: withPlaceLabels(app, spec),
    // From here on something is made for it; a record by kubectl has no finalizer before.
    finalizers: [...new Set([...(app.metadata.finalizers ?? []), finalizers.app])],
    annotations: kept,
  }
  return withDeployed({ ...app, metadata }, { spec, deployed, pending: words, attempt })
}

/** A service that is new, accepted with the very write that makes it: for one that has nothing to freeze. */
export function acceptedDraft(
  needs: Pick<AcceptNeeds, 'now'>,
  draft: App,
  record: string,
  request: DeployRequest,
): App {
  const wanted = wantedOf(draft, request)
  refuseUndeployable(draft, wanted.deployed)
  return withAttempt(draft, attemptFor(needs, draft, { record, release: undefined }, request), wanted, false)
}

/** What a deploy needs before it can be accepted. Throws Problem invalid_request. */
export function refuseUndeployable(
  app: Pick<App, 'metadata'>,
  { source: { image, git, function: fn } }: AppSpec,
): void {
  if (app.metadata.deletionTimestamp !== undefined) throw refuse('the service is being deleted')
  if (git !== undefined) {
    if (git.repository === '') throw refuse('set a repository in settings before you deploy')
    return
  }
  if (fn?.code.trim() === '') throw refuse('set the code in settings before you deploy')
  if (image?.image === '') throw refuse('set an image in settings before you deploy')
}
