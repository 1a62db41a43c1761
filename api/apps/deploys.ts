/** Deploys of a service: the operations that start one, and the records of earlier ones. */
import { canReadSensitive, sees } from '../../contract/caller.ts'
import { deploymentRecordsKept } from '../../contract/limits.ts'
import type { View } from '../../contract/operations.ts'
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { askerIn } from '../../records/store/attempt-history.ts'
import { deployTitle, pendingWords } from '../../kinds/apps/deploy/pending-words.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { acceptDeploy } from '../../records/apps/accept-deploy.ts'
import { acceptBuild } from '../../records/apps/accept-build.ts'
import { acceptRollback, deploymentNotFound } from '../../records/apps/accept-rollback.ts'
import { cancelBuild } from '../../records/builds/cancel-build.ts'
import { newBuild } from '../../records/builds/make-build.ts'
import { retryProvision as retry } from '../../records/apps/retry-provision.ts'
import { imageThatRan } from '../../records/deployments/read-attempt-log.ts'
import { judgedStore } from '../../records/store/judged-store.ts'
import { byApp } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import { askedBy, wakeAccepted, wakeRecord } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { createKeptView } from '../views/kept-view.ts'
import { createOutcomes, type Outcome } from './outcomes.ts'
import { appOf, liveAppOf, onApp, wakeApp } from './service-of-call.ts'
import { shownBuild } from './shown-build.ts'
import { defined } from '../../contract/defined.ts'

/** `POST /apps/{name}/deploy`: deploys the saved spec; with nothing pending, it restarts the copies. */
export const deploy =
  (needs: Needs): Handler<'apps.deploy'> =>
  async (call) => {
    const request = {
      ...askedBy(call),
      operation: 'deploy' as const,
      onAccepted: wakeAccepted(needs, 'deploy requested', askedBy(call)),
      ...defined({ ifMatch: call.ifMatch }),
    }
    const accepted = await onApp(needs, call, (app, writes) =>
      acceptDeploy(writes, app, { ...request, title: deployTitle(app) }),
    )
    return { ok: true, ...pendingWords(accepted), deployed: true }
  }

/** `POST /apps/{name}/rollback`: deploys an earlier image and number of copies, as a new deployment. */
export const rollback =
  (needs: Needs): Handler<'apps.rollback'> =>
  async (call) => {
    const { app: name, revision } = call.params
    const known = await needs.records.deployments.read(revision)
    // A record of another project is treated as missing. One of this service counts even if it is of an environment
    // that the service has left.
    const own = known?.metadata.labels?.[labels.app] === name
    const visible = own || (known !== undefined && sees(call.caller, known.spec.project, known.spec.environment))
    const app = needs.caches.apps.get(name, systemNamespace)
    const ranImage = visible ? await imageThatRan(needs.client, app, revision) : undefined
    const request = {
      ...askedBy(call),
      revision,
      ranImage,
      onAccepted: wakeAccepted(needs, `rollback to ${revision}`, askedBy(call)),
      ...defined({ ifMatch: call.ifMatch }),
    }
    await onApp(needs, call, (current, writes) => {
      if (known !== undefined && !visible) throw new Problem('not_found', deploymentNotFound)
      return acceptRollback(writes, current, request)
    })
    return { ok: true }
  }

/** `POST /apps/{name}/retry-provision`: runs a failed deploy again. */
export const retryProvision =
  (needs: Needs): Handler<'apps.retry-provision'> =>
  async (call) => {
    await onApp(needs, call, (_app, writes) => retry(writes, call.params.app, askedBy(call).actor))
    wakeApp(needs, call.params.app, 'retry requested', call)
    return { ok: true }
  }

/** `POST /apps/{name}/build`: refused for a service without a build (docs/reference/services.md#builds). */
export const build =
  (needs: Needs): Handler<'apps.build'> =>
  async (call) => {
    const request = { ...askedBy(call), onAccepted: wakeAccepted(needs, 'build requested', askedBy(call)) }
    await onApp(needs, call, async (app, writes) => {
      if (!(await hasBuild(needs, app.metadata.name))) throw refuse('this service has no build yet')
      return acceptBuild(writes, app, { ...request, ...defined({ ifMatch: call.ifMatch }) })
    })
    return { ok: true }
  }

/** Looked for live before a refusal: a worker may have made the first one a moment ago. */
async function hasBuild({ caches, client }: Needs, app: string): Promise<boolean> {
  if (caches.builds.by(byApp, app).length > 0) return true
  const query = { namespace: systemNamespace, labelSelector: `${labels.app}=${app}`, metadataOnly: true }
  return (await client.list(resourceTypes.build, query)).items.length > 0
}

/** `POST /apps/{name}/build/cancel`: cancels an open build (docs/reference/services.md#builds). */
export const buildCancel =
  (needs: Needs): Handler<'apps.build-cancel'> =>
  async (call) => {
    // The service of this name may be another project's by now, and so may its newest build.
    const may = ({ spec }: Build) => sees(call.caller, spec.project, spec.environment)
    const builds = judgedStore(needs.records.builds, may, refusals.appNotFound)
    const app = await liveAppOf(needs, call)
    const known = needs.caches.builds.by(byApp, app.metadata.name)
    const name = shownBuild(app, known)?.metadata.name
    if (name === undefined) throw refuse('this service has no build yet')
    await cancelBuild(builds, name, known.some(({ metadata }) => metadata.name === name) ? undefined : unmadeBuild(app))
    wakeRecord(needs, 'build', name, 'cancellation requested', call)
    return { ok: true }
  }

/** The build that a worker will make for the newest deploy. */
function unmadeBuild(app: App): Build | undefined {
  const { attempt, effectiveSpec } = viewOf(app)
  return attempt && effectiveSpec && newBuild(app, effectiveSpec, attempt)
}

/** `GET /apps/{name}/deployments`: the kept records, newest first; a rollback takes their ids. */
export const deployments = (needs: Needs): Handler<'apps.deployments'> => {
  const kept = createKeptView<View<'apps.deployments'>>()
  const outcomesOf = createOutcomes(needs)
  return async (call) => {
    const app = await appOf(needs, call)
    const { name } = app.metadata
    const all = needs.caches.deployments.by(byApp, name)
    // `<app>-active` lacks the label of the service, and is no deployment to roll back to.
    const records = all
      .filter(({ metadata }) => metadata.labels?.[labels.app] === name)
      .sort(newestFirst)
      .slice(0, deploymentRecordsKept)
    const outcomes = await outcomesOf(app, records)
    const form = canReadSensitive(call.caller) ? 'whole' : 'redacted'
    const sources = [all, ...outcomes.flatMap((outcome) => [outcome?.phase, outcome?.summary])]
    return kept({ record: app, form, sources }, () => ({
      items: records.map((record, index) => deploymentItem(record, outcomes[index], form)),
    }))
  }
}

const startOf = ({ metadata, status }: Deployment): string => status?.startedAt ?? metadata.creationTimestamp ?? ''

function newestFirst(a: Deployment, b: Deployment): number {
  if (startOf(a) === startOf(b)) return a.metadata.name < b.metadata.name ? -1 : 1
  return startOf(a) < startOf(b) ? 1 : -1
}

function deploymentItem(
  { metadata, spec, status }: Deployment,
  ended: Outcome | undefined,
  form: 'whole' | 'redacted',
) {
  const outcome = ended?.phase
  const reason = form === 'whole' && outcome === 'Failed' ? ended?.summary || undefined : undefined
  const requestedBy = form === 'whole' ? askerIn(metadata.annotations?.[annotations.acceptedAs]) : undefined
  const { image, commit = '', trigger = '', actor = '', changeTitle = '' } = spec
  return {
    id: metadata.name,
    phase: status?.phase ?? '',
    ...defined({ outcome, reason, requestedBy }),
    image,
    commit,
    trigger,
    actor,
    changeTitle,
    createdAt: metadata.creationTimestamp ?? '',
    ...defined({ startedAt: status?.startedAt, completedAt: status?.completedAt }),
  }
}
