/**
 * One pass over a build: takes its next step, or reads the state of its Job. The status names the Job before it is
 * created and until it is gone, so no Job is left behind if a worker dies.
 */
import { finalizers, annotations } from '../../kinds/meta/annotations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { isChecked } from '../../kinds/builds/checks.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { type BuildCredentials, masked, secretsOf } from '../../kinds/builds/secrets.ts'
import { attemptLogName } from '../../records/store/attempt-history.ts'
import { hostsMet, outcomeOf } from '../../kinds/builds/outcome.ts'
import { buildName, jobName, tagOf } from '../../kinds/builds/names.ts'
import { planOfBuild } from '../../kinds/builds/plan.ts'
import { holdsSlot, positionOf } from '../../kinds/builds/queue.ts'
import { cloneAddress, isBranchName, isInside } from '../../kinds/builds/repository.ts'
import { type BuildVariables, buildVariablesOf, noVariables } from '../../kinds/builds/variables.ts'
import { readRelease } from '../../records/apps/freeze-secrets.ts'
import { textsOf } from '../../cluster/objects/secret-data.ts'
import { isFinished } from '../../kinds/builds/phase.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { keepKnownHosts } from '../../records/secrets/deploy-key.ts'
import { onFreshRecord } from '../../records/store/retry.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { reportDeploy } from '../context/report-deploy.ts'
import { awaitChecks, type LookTimes } from './await-checks.ts'
import { gitAccessOf } from './credentials.ts'
import { knownImage, knownRevision } from './known-image.ts'
import { keepBuildLog } from './keep-log.ts'
import { destinationIn, type LivePod, makeJob, podsOf, readCredentials, readJob, removeMade } from './made.ts'
import type { BuildPassed, BuildRef } from './messages.ts'
import { destinationOf } from './registry.ts'
import { removeImage } from './remove-image.ts'
import { done, end, waiting, write } from './written.ts'

export const buildPass = (needs: ActivityNeeds) => {
  const looks: LookTimes = new Map()
  return ({ name, uid }: BuildRef): Promise<BuildPassed> =>
    onFreshRecord(
      needs.builds,
      name,
      uid,
      (build) => pass(needs, looks, build),
      (other) => ({ outcome: 'done', message: '', plan: planOfBuild(name, other) }),
    )
}

async function pass(needs: ActivityNeeds, looks: LookTimes, build: Build): Promise<BuildPassed> {
  const { action } = planOfBuild(build.metadata.name, build)
  if (action === 'rest') return done(build)
  if (action === 'build') return advance(needs, looks, build)
  if (!(await removeMade(needs, build))) return waiting(build, 'waiting for the pod of the build to stop')
  if (action === 'clean') return done(await write(needs, build, { jobRef: null }))
  const left = await removeImage(needs, build)
  if (left !== undefined) return waiting(build, left)
  await needs.builds.edit(build.metadata.name, (current) =>
    current.metadata.uid === build.metadata.uid ? withFinalizers(current, () => false) : undefined,
  )
  return { outcome: 'done', message: '', plan: planOfBuild(build.metadata.name, undefined) }
}

function withFinalizers(build: Build, keep: (own: string) => boolean): Build | undefined {
  const { finalizers: held = [] } = build.metadata
  const others = held.filter((entry) => entry !== finalizers.build)
  const wanted = keep(finalizers.build) ? [...others, finalizers.build] : others
  return wanted.length === held.length ? undefined : { ...build, metadata: { ...build.metadata, finalizers: wanted } }
}

const noBuilder = 'this install has no image to build in: its operator names one by SVC_BUILDER_IMAGE'

/** The next step of a build that has not ended. */
async function advance(needs: ActivityNeeds, looks: LookTimes, build: Build): Promise<BuildPassed> {
  const app = await needs.apps.readLive(build.spec.app)
  const over = whyOver(build, app)
  await reportDeploy(needs, build, 'begun')
  if (over !== undefined || app === undefined) {
    if (app !== undefined && build.status?.phase === 'Running') await keepLog(needs, build, app)
    return end(needs, build, 'Cancelled', over ?? 'its service is gone', logOf(build))
  }
  if (build.status?.phase === 'Running') return watchJob(needs, build, app)
  const wrong = needs.builder.image === '' ? noBuilder : whyWrong(needs, build)
  if (wrong !== undefined) return end(needs, build, 'Failed', wrong)
  if (build.status?.jobRef !== undefined) return startJob(needs, build, app)
  if (isChecked(build)) return queue(needs, build, app)
  const checked = await awaitChecks(needs, looks, build, app)
  return 'passed' in checked ? queue(needs, checked.passed, app) : checked
}

/** Starts the Job if fewer builds run than the limit allows; else the build waits in the queue. */
async function queue(needs: ActivityNeeds, build: Build, app: App): Promise<BuildPassed> {
  const why = await whyWaits(needs, build)
  if (why !== undefined) return waiting(await write(needs, build, { phase: 'Pending', message: why }), why)
  return startJob(needs, await write(needs, build, { phase: 'Pending', jobRef: jobName(build), message: null }), app)
}

/** Why the build is no longer needed; undefined for the build that the current deploy waits for. */
function whyOver(build: Build, app: App | undefined): string | undefined {
  if (build.spec.cancelled) return 'the build was cancelled'
  if (app === undefined || app.metadata.deletionTimestamp !== undefined) return 'its service is being deleted'
  const { attempt, attemptGoesOn } = viewOf(app)
  if (attempt === undefined) return 'its deploy was taken back'
  const current = buildName(attempt.record, app.metadata.annotations?.[annotations.retry] ?? '')
  if (current !== build.metadata.name) return `superseded by ${current}`
  const token = app.metadata.annotations?.[annotations.retry] ?? ''
  const isRetried = token !== (app.status?.reconcileRetry?.token ?? '')
  return attemptGoesOn || isRetried ? undefined : 'its deploy has ended'
}

function whyWrong({ gitHost }: ActivityNeeds, { spec }: Build): string | undefined {
  const { repository, branch, context, dockerfile } = spec
  if (cloneAddress(repository, gitHost.web) === undefined)
    return 'the repository is no owner/name and no http, https or ssh address without a login'
  if (branch !== '' && !isBranchName(branch)) return 'the branch is no name of a branch'
  if (!isInside(context)) return 'the context is no folder inside of the repository'
  return isInside(dockerfile) ? undefined : 'the dockerfile is no file inside of the repository'
}

/** Why the build has to wait; reads the live records, since another worker may have started a build a moment ago. */
async function whyWaits(needs: ActivityNeeds, build: Build): Promise<string | undefined> {
  const { items } = await needs.client.list<Build>(resourceTypes.build, { namespace: systemNamespace })
  const before = items.find(
    (other) =>
      other.spec.app === build.spec.app &&
      other.metadata.name !== build.metadata.name &&
      (holdsSlot(other) || (!isFinished(other) && other.status?.phase === 'Running')),
  )
  if (before !== undefined) return `waiting for build ${before.metadata.name} to stop`
  const position = positionOf(build, items, needs.builder.atOnce)
  return position === 0 ? undefined : `waiting for other builds: position ${position} in the queue`
}

async function startJob(needs: ActivityNeeds, build: Build, app: App): Promise<BuildPassed> {
  const target = await destinationOf(needs, build.spec)
  if (typeof target === 'string') return end(needs, build, 'Failed', target)
  const git = await gitAccessOf(needs, build, app)
  if (git.state === 'refused') return end(needs, build, 'Failed', git.message)
  if (git.state === 'waiting') return waiting(await write(needs, build, { message: git.message }), git.message)
  const variables = await variablesOf(needs, build, app)
  if (typeof variables === 'string') return end(needs, build, 'Failed', variables)
  const credentials = { git: git.login, registry: target.login, secrets: variables.secrets }
  const spec = viewOf(app).effectiveSpec ?? app.spec
  const inputs = {
    address: git.address,
    destination: target.repository,
    port: spec.port,
    args: variables.args,
    knownRevision: await knownRevision(needs, build, target.repository),
  }
  if (!(await makeJob(needs, build, credentials, inputs))) {
    const message = 'waiting for the namespace of builds, which the install has to make'
    return waiting(await write(needs, build, { message }), message)
  }
  const startedAt = needs.now().toISOString()
  const message = 'waiting for a pod'
  return waiting(await write(needs, build, { phase: 'Running', startedAt, message }), message)
}

/** The variables of the build, or a sentence if one of them is missing. */
async function variablesOf(needs: ActivityNeeds, build: Build, app: App): Promise<BuildVariables | string> {
  const { variables = [] } = build.spec
  if (variables.length === 0) return noVariables
  const { attempt, effectiveSpec = app.spec } = viewOf(app)
  const frozen = attempt?.release === undefined ? undefined : await readRelease(needs.client, app, attempt.release)
  return buildVariablesOf(variables, effectiveSpec, textsOf(frozen))
}

async function watchJob(needs: ActivityNeeds, build: Build, app: App): Promise<BuildPassed> {
  const job = await readJob(needs, build)
  const [pod] = await podsOf(needs, build)
  if (job === undefined || job.metadata.deletionTimestamp !== undefined) {
    await keepLog(needs, build, app, pod)
    return end(needs, build, 'Failed', 'the Job of the build was deleted before it had ended', logOf(build))
  }
  const outcome = outcomeOf(job, pod, Math.round(needs.builder.deadlineSeconds / 60))
  const revision = 'revision' in outcome && outcome.revision !== undefined ? { sourceRevision: outcome.revision } : {}
  if (outcome.state === 'running')
    return waiting(await write(needs, build, { message: outcome.step, ...revision }), outcome.step)
  const credentials = await keepLog(needs, build, app, pod)
  const hosts = hostsMet(pod)
  if (hosts !== undefined) await keepKnownHosts(needs.client, app, credentials.git, hosts)
  const known = { ...revision, ...logOf(build) }
  if (outcome.state === 'failed') return end(needs, build, 'Failed', maskOf(credentials)(outcome.why), known)
  if (outcome.state === 'unchanged') {
    const taken = await knownImage(needs, build, outcome.revision)
    if (taken === undefined)
      return end(needs, build, 'Failed', 'the image of this commit is not known any more; build again', known)
    return end(needs, build, 'Succeeded', '', { ...known, ...taken, reused: true })
  }
  const image = `${destinationIn(job)}:${tagOf(build.spec.app, outcome.revision)}`
  return end(needs, build, 'Succeeded', '', { ...known, image, imageDigest: outcome.digest, ...outcome.made })
}

/**
 * Keeps the log, also of a build that is stopped, since it may show why it was slow. Resolves with the credentials of
 * the build.
 */
async function keepLog(needs: ActivityNeeds, build: Build, app: App, pod?: LivePod): Promise<BuildCredentials> {
  const credentials = await readCredentials(needs, build)
  await keepBuildLog(needs, app, build, pod ?? (await podsOf(needs, build))[0], maskOf(credentials))
  return credentials
}

const maskOf = (credentials: BuildCredentials) => {
  const secrets = secretsOf(credentials)
  return (text: string): string => masked(secrets, text)
}

const logOf = ({ spec }: Build) => ({ logRef: attemptLogName(spec.attempt) })
