/** Removes objects that have no owner any more: found by their labels, checked against the live record. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { type Deployment, frozenWith } from '../../kinds/deployments/kind.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { sweepKeys } from '../../records/cloud-connections/sweep-keys.ts'
import { sweepLogins } from '../../records/databases/sweep-logins.ts'
import { sweepSharedValues } from '../../records/projects/sweep-shared-values.ts'
import { removeSeen } from '../../records/secrets/named-secret.ts'
import { eachAtOnce } from '../context/at-once.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { isOlderThan, sweepOrphans } from './orphans.ts'

export interface SweepNeeds extends ActivityNeeds {
  /**
   * Age at which objects without an owner are removed: frozen secrets without a deploy, what is left of records that
   * are gone, and the like; milliseconds.
   */
  sweepMs: number
}

/** Each sweep resolves with the number of removed objects; repeating it is harmless. */
export const createSweeps = (needs: SweepNeeds) => {
  const before = () => needs.now().getTime() - needs.sweepMs
  return {
    releases: () => sweepReleases(needs, before()),
    /** Its name is older than all it removes: runs of the resync have it in their histories. */
    history: () => sweepOrphans(needs, before()),
    webhookSecrets: () => sweepWebhookSecrets(needs, before()),
    cloudKeys: async () => (await sweepKeys(needs.client, before())) + (await sweepLogins(needs, before())),
    sharedValues: () => sweepSharedValues(needs, before()),
    schedules: () => sweepSchedules(needs),
  }
}

export type Sweep = keyof ReturnType<typeof createSweeps>

/**
 * Removes frozen secrets whose deploy was never accepted, since the api died between freezing and accepting, and those
 * that no kept record needs. Checks live records: a rollback may have begun to use them a moment ago.
 */
async function sweepReleases(needs: SweepNeeds, before: number): Promise<number> {
  const { apps, deployments, client } = needs
  const secrets = await listOld(needs, coreTypes.secret, secretPurposes.release, before)
  return removeEach(needs, coreTypes.secret, secrets, async ({ metadata: { name, labels: own } }) => {
    const app = own?.[labels.app] ?? ''
    const needed = (record: Deployment) => frozenWith(record).includes(name)
    const runs = (found: App | undefined) => found !== undefined && viewOf(found).attempt?.release === name
    if (app === '') return true
    if (runs(apps.cache.get(app, systemNamespace)) || deployments.cache.by('app', app).some(needed)) return false
    if (runs(await apps.readLive(app))) return false
    const query = { namespace: systemNamespace, labelSelector: `${labels.app}=${app}` }
    return !(await client.list<Deployment>(resourceTypes.deployment, query)).items.some(needed)
  })
}

/** Removes signing secrets without a webhook: the api died between the two writes of a save or a deletion. */
async function sweepWebhookSecrets(needs: SweepNeeds, before: number): Promise<number> {
  const secrets = await listOld(needs, coreTypes.secret, secretPurposes.webhook, before)
  return removeEach(needs, coreTypes.secret, secrets, async ({ metadata }) => {
    const id = metadata.labels?.[labels.webhook]
    const name = metadata.labels?.[labels.project] ?? ''
    const isKnown = (project: Project | undefined) => project?.spec.webhooks.some((hook) => hook.id === id) === true
    return !isKnown(needs.projects.cache.get(name, systemNamespace)) && !isKnown(await needs.projects.readLive(name))
  })
}

/** Removes Schedules that no function's status names: a worker that was cut off created them too late. */
async function sweepSchedules({ schedules, apps }: SweepNeeds): Promise<number> {
  const isNamed = (app: App | undefined, trigger: string) => app?.status?.schedules?.includes(trigger) === true
  let swept = 0
  await eachAtOnce(await schedules.list(), async ({ app, trigger }) => {
    if (isNamed(apps.cache.get(app, systemNamespace), trigger) || isNamed(await apps.readLive(app), trigger)) return
    await schedules.remove(app, trigger)
    swept += 1
  })
  return swept
}

async function listOld(
  { client }: SweepNeeds,
  type: ResourceType,
  purpose: string,
  before: number,
): Promise<KubeObject[]> {
  const labelSelector = `${labels.purpose}=${purpose}`
  const { items } = await client.list<KubeObject>(type, {
    namespace: systemNamespace,
    labelSelector,
    metadataOnly: true,
  })
  return items.filter(isOlderThan(before))
}

async function removeEach(
  { client }: SweepNeeds,
  type: ResourceType,
  objects: readonly KubeObject[],
  isOrphan: (object: KubeObject) => Promise<boolean>,
): Promise<number> {
  let swept = 0
  await eachAtOnce(objects, async (object) => {
    if ((await isOrphan(object)) && (await removeSeen(client, type, object))) swept += 1
  })
  return swept
}
