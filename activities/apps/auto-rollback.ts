/** Rolls a failed deploy back, if the service is set to do so: the last release that was ready is deployed again. */
import { Problem } from '../../contract/problem.ts'
import { changes, releaseSpecOf, withLiveSettings } from '../../kinds/apps/spec/draft.ts'
import type { Plan } from '../../kinds/apps/deploy/plan.ts'
import { asksForRollback, viewOf } from '../../kinds/apps/view.ts'
import { wasConfined } from '../../kinds/apps/manifests/confinement.ts'
import { namesImage } from '../../kinds/apps/deploy/image.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { recordName } from '../../kinds/apps/names.ts'
import { secretEditOf } from '../../kinds/apps/spec/secret-edit.ts'
import { releaseSecretOf } from '../../kinds/deployments/kind.ts'
import { canonical, digest } from '../../kinds/meta/digest.ts'
import { acceptDeploy, type Wanted } from '../../records/apps/accept-deploy.ts'
import { readRelease } from '../../records/apps/freeze-secrets.ts'
import { imageThatRan } from '../../records/deployments/read-attempt-log.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeAppStatus } from '../kube/write-status.ts'
import { appendAttemptLog } from '../../records/store/attempt-history.ts'
import type { ServiceRef } from './messages.ts'
import { planAfter } from './plan-after.ts'
import { defined } from '../../contract/defined.ts'

/**
 * Repeating it is harmless: the name of the rollback's attempt follows from the failed one, and the record asks for no
 * rollback once that attempt is accepted.
 */
export const autoRollback =
  (needs: ActivityNeeds) =>
  (input: ServiceRef): Promise<Plan> =>
    planAfter(needs, input, async (app) => viewOf(asksForRollback(viewOf(app)) ? await rollBack(needs, app) : app).plan)

async function rollBack(needs: ActivityNeeds, app: App): Promise<App> {
  const { name, uid = '' } = app.metadata
  const failed = viewOf(app).attempt?.record ?? ''
  const { release = '', lastAttempt } = app.status ?? {}
  const earlier = await needs.deployments.read(release)
  if (earlier === undefined) return cannot(needs, app, notKept(release))
  const { value: good, unreadable: noSpec } = releaseSpecOf(earlier)
  const { value: frozen, unreadable: noSecret } = releaseSecretOf(earlier)
  if (good === undefined || noSecret !== undefined) return cannot(needs, app, noSpec ?? noSecret ?? notKept(release))
  const record = recordName(name, digest([uid, failed, 'put back']).slice(0, 5))
  // Logged first: once the rollback is accepted, no repetition of this activity would come here and log it.
  await recordRollback(needs, app, failed, `putting ${release} back as ${record}`)
  const secretsDiffer = await differ(needs, app, frozen, viewOf(app).attempt?.release)
  const ran = await imageThatRan(needs.client, app, release)
  const change = (current: App): Wanted => {
    if (!asksForRollback(viewOf(current)))
      throw new Problem('invalid_request', 'the service was deployed again meanwhile')
    const deployed = withLiveSettings(good, current.spec)
    // If the failed deploy moved the service to another project or environment, the move is rolled back, too.
    const spec = { ...current.spec, project: deployed.project, environment: deployed.environment }
    const pending = changes(deployed, spec, secretsDiffer || secretEditOf(current) !== undefined)
    return { spec, deployed, pending, secretsEdited: secretsDiffer }
  }
  try {
    return await acceptDeploy(needs, app, {
      operation: 'rollback',
      actor: 'svc',
      requestId: '',
      title: `Rollback after ${failed} failed`,
      because: `${failed} failed: ${lastAttempt?.summary ?? 'no reason is known'}`,
      record,
      change,
      reuse: defined({ release: frozen }),
      confined: wasConfined(earlier),
      ...(ran !== undefined && (good.source.git !== undefined || namesImage(earlier.spec.image, ran))
        ? { image: ran }
        : {}),
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const current = await needs.apps.readLive(name)
    if (current === undefined || current.metadata.uid !== uid || !asksForRollback(viewOf(current)))
      return current ?? app
    return cannot(needs, current, error.message)
  }
}

const notKept = (release: string): string => `release ${release} is not kept any more`

/** Ends the rollback for good: the status loses its `release`, so the record asks for no other rollback. */
async function cannot(needs: ActivityNeeds, app: App, why: string): Promise<App> {
  const failed = viewOf(app).attempt?.record ?? ''
  const message = `${app.status?.lastAttempt?.summary ?? ''}; it was not rolled back: ${why}`
  await recordRollback(needs, app, failed, `not rolled back: ${why}`)
  return writeAppStatus(needs, app, { ready: false, reason: 'NotRolledBack', message }, { release: '' })
}

async function recordRollback(needs: ActivityNeeds, app: App, failed: string, text: string): Promise<void> {
  // The time at which the failed attempt ended: a repetition writes the same line, not a second one.
  const at = app.status?.lastAttempt?.completedAt ?? needs.now().toISOString()
  await appendAttemptLog(needs, viewOf(app), failed, [{ at, text }])
  await recordEvent(
    needs.client,
    app,
    { type: 'Warning', reason: 'RollingBack', message: `${failed}: ${text}`, occurrence: failed },
    needs.now(),
  )
}

/** Whether two releases were frozen with different secret values. The values do not leave this function. */
async function differ(
  { client }: ActivityNeeds,
  app: App,
  one: string | undefined,
  other: string | undefined,
): Promise<boolean> {
  const valuesOf = async (name: string | undefined) =>
    name === undefined ? {} : ((await readRelease(client, app, name))?.data ?? {})
  const [a, b] = await Promise.all([valuesOf(one), valuesOf(other)])
  return canonical(a) !== canonical(b)
}
