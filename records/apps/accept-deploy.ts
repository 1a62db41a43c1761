/**
 * Accepts a deploy: one conditional write of the service's record, from which all later steps follow
 * (docs/reference/deployments.md#accepting-a-deploy).
 */
import { randomBytes } from 'node:crypto'
import type { ClusterClient } from '../../cluster/client.ts'
import { isInvalid } from '../../cluster/objects/errors.ts'
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import { annotations, finalizers } from '../../kinds/meta/annotations.ts'
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import { supersededBy } from '../store/attempt-history.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { type PendingChange, withDeployed, withEnabled } from '../../kinds/provision/draft.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { withPlaceLabels } from '../../kinds/apps/spec/place.ts'
import { recordName } from '../../kinds/apps/names.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { doneSecretEdit, secretEditGoesOn } from '../../kinds/apps/spec/secret-edit.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { recordDeploy } from '../store/record-deploy.ts'
import type { RecordStore } from '../store/record-store.ts'
import { capacityWanted } from './reserve-capacity.ts'
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
   * Reserves capacity, or throws Problem invalid_request when the cluster is short of it; undefined where the caller no
   * longer waits for an answer.
   */
  reserve?: (app: App, wanted: AppSpec, attempt: string) => Promise<void>
}

/** What a deploy writes: the saved spec, the deployed one, and the changes that stay pending. */
export interface Wanted {
  spec: AppSpec
  deployed: AppSpec
  pending: readonly PendingChange[]
  /** Whether the saved secret values differ from the deployed ones. */
  secretsEdited?: boolean
}

export interface DeployRequest {
  operation: Attempt['operation']
  actor: string
  requestId: string
  title: string
  /** The deployment record's name; minted here unless the caller minted it already. */
  record?: string
  /**
   * Computes what is deployed and saved instead of the saved spec; called again for every version of the record that
   * was read.
   */
  change?: (app: App) => Wanted
  /** The attempt uses the frozen secrets of the release that runs, instead of freezing them anew. */
  keepRelease?: boolean
  /** The attempt uses the frozen secrets of this earlier release; `release` is absent where that had none. */
  reuse?: { release?: string }
  /** False for a rollback to a release whose copies ran unconfined. */
  confined?: boolean
  /** Why svc accepts this deploy by itself. */
  because?: string
  /** The image of an earlier deployment, with its digest. */
  image?: string
  /** The resourceVersion that the caller requires (`If-Match`). */
  ifMatch?: string
  /**
   * Called when the deploy is accepted and its deployment record is not written yet: the run that starts then writes
   * that record, too.
   */
  onAccepted?: (app: App) => void
}

/**
 * So many rounds allow many concurrent deploys of one service. A round repeats what an older record refused or froze;
 * conflicts of the write itself are repeated within `edit`, so `onConflict` is not used here.
 */
const rounds = 20

/** Five random characters for a record name. */
export function mintRecordName(app: string): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'
  return recordName(app, [...randomBytes(5)].map((byte) => alphabet[byte % alphabet.length]).join(''))
}

/**
 * Deploys the saved spec of a service. One write of the record enables it, clears the pending changes and sets
 * last-deployed and the attempt; then the deployment record is written. A crash between the two loses nothing, since
 * the deployment record is made from the annotation. Throws Problem: not_found, invalid_request (being deleted, no
 * image, no capacity).
 * @param known the record as the caller has read it, possibly outdated: the write decides on the record that it
 * replaces
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
    // The caller's record may be outdated: a refusal because of it is decided again on the live record.
    const live = await needs.apps.readLive(name)
    if (refusal !== undefined && live?.metadata.resourceVersion === app.metadata.resourceVersion) throw refusal
    if (live === undefined) throw new Problem('not_found', refusals.appNotFound)
    app = live
  }
}

/**
 * Undefined when the deploy must be tried on a newer record: variables changed after they were frozen, or the copies
 * after capacity was reserved, or another deploy was accepted whose deployment record may not exist. The project is
 * read live, since another process may have saved a shared variable a moment ago.
 */
async function acceptOn(
  needs: AcceptNeeds,
  app: App,
  record: string,
  request: DeployRequest,
): Promise<App | undefined> {
  const first = await preflight(needs, app, record, request)
  const reserved = needs.reserve && canonical(capacityWanted(first))
  const { attempt: before, attemptGoesOn, lastDeployed = app.spec } = viewOf(app)
  // The api that accepted the current attempt may have died before it wrote the deployment record. It is written here,
  // since the next attempt overwrites the spec that it deployed.
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
          // An earlier try of this very write succeeded, and its answer was lost.
          accepted = { attempt: found, deployed: viewOf(current).lastDeployed ?? first }
          return undefined
        }
        // An earlier try of this request was accepted, and another deploy has been accepted since.
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
        stale = reserved !== undefined && canonical(capacityWanted(wanted.deployed)) !== reserved
        if (stale) return undefined
        accepted = { attempt: attemptFor(needs, current, { record, release }, request), deployed: wanted.deployed }
        return withAttempt(current, accepted.attempt, wanted, secretEditGoesOn(current, needs.now()))
      },
      request.ifMatch,
    )
    .catch(async (error: unknown) => {
      // A refused write has written nothing. After a lost answer that is not known, so the frozen Secret stays.
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
 * All refusals before secrets are frozen; the write checks the record that it replaces again. The last step reserves
 * capacity. Resolves with the spec that would be deployed.
 */
async function preflight(needs: AcceptNeeds, app: App, record: string, request: DeployRequest): Promise<AppSpec> {
  const { spec, deployed } = wantedOf(app, request)
  refuseUndeployable(app, deployed)
  refuseTooLarge(spec)
  // This edit writes nothing: it only compares the version.
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
 * Always later than the attempt before, whatever the clocks of two processes say: older releases are removed in this
 * order.
 */
function acceptedAt(app: App, now: Date): string {
  const before = Date.parse(viewOf(app).attempt?.at ?? '')
  return Number.isNaN(before) || before < now.getTime() ? now.toISOString() : new Date(before + 1).toISOString()
}

/**
 * While an edit of secrets is open, its mark stays: by the mark that edit sees whether this deploy took the new values.
 */
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
    // From here on the service has objects; a record made with kubectl has no finalizer before.
    finalizers: [...new Set([...(app.metadata.finalizers ?? []), finalizers.app])],
    annotations: kept,
  }
  return withDeployed({ ...app, metadata }, { spec, deployed, pending: words, attempt })
}

/**
 * A new service whose record is created with the accepted attempt in it; only for a service without secrets to freeze.
 */
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

/** The preconditions of a deploy, by record and spec. Throws Problem invalid_request. */
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
