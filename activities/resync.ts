/** The regular comparison of every record with its workflow: finds runs that were ended by hand, and sweeps what has no owner. */

import type { KubeObject } from '../cluster/object.ts'
import { coreTypes } from '../cluster/resource-type.ts'
import { labels } from '../kinds/annotations.ts'
import { attemptOf } from '../kinds/apps/attempt.ts'
import type { App } from '../kinds/apps/kind.ts'
import { planOf } from '../kinds/apps/next-story.ts'
import { readyOf } from '../kinds/conditions.ts'
import { connectionRules } from '../kinds/cloud-connections/in-force.ts'
import { systemNamespace } from '../kinds/group.ts'
import { logicalDatabaseRules } from '../kinds/logical-databases/in-force.ts'
import { databaseRules } from '../kinds/databases/in-force.ts'
import { storeRules } from '../kinds/object-stores/in-force.ts'
import { isUnsettled, type Settled, provisionPlan, type ProvisionRules } from '../kinds/provision-plan.ts'
import { platformConfigName } from '../kinds/platform/settings.ts'
import { planOfProject } from '../kinds/projects/intent.ts'
import type { Project } from '../kinds/projects/kind.ts'
import type { SettledKind } from '../durable/ids.ts'
import type { RecordStore } from '../records/record-store.ts'
import { webhookPurpose } from '../records/webhook-secret.ts'
import { sweepKeys } from '../records/cloud-connections/sweep-keys.ts'
import { sweepSharedValues } from '../records/projects/sweep-shared-values.ts'
import { followSettings } from '../records/settings/save-setting.ts'
import type { ActivityNeeds } from './needs.ts'
import { lostAtAws } from './object-stores/lost-at-aws.ts'
import { lostOnServer } from './object-stores/lost-on-server.ts'
import { tellLast } from './tell-webhooks.ts'

export interface ResyncNeeds extends ActivityNeeds {
  /** Whether a run is open for the record. */
  isOpen: (kind: SettledKind, name: string) => Promise<boolean>
  /** Whether the platform's configuration, or what was made for it, is to be looked at. */
  platformAsks: () => Promise<boolean>
  wake: (kind: SettledKind, name: string, reason: string) => Promise<void>
  /** Whose workflow the watch finds reason to wake, as it compares records with what was made for them from memory. */
  due: () => readonly { kind: SettledKind; name: string; reason: string }[]
  /** Age at which frozen secrets without a deploy, and signing secrets without a webhook, are swept. */
  sweepMs: number
}

export interface ResyncReport {
  compared: number
  woken: number
  swept: number
}

export const createResyncActivities = (needs: ResyncNeeds) => ({
  /** One pass over all records; a record with work and no open run is woken. */
  compareRecords: async (): Promise<ResyncReport> => {
    const apps = needs.apps.cache.list().filter((app) => planOf(app).story !== 'rest' || isDisturbed(app))
    const projects = needs.projects.cache.list().filter((project) => planOfProject(project).story !== 'rest')
    const logicalDatabases = unsettled(needs.logicalDatabases, logicalDatabaseRules)
    const stores = unsettled(needs.objectStores, storeRules)
    const connections = unsettled(needs.cloudConnections, connectionRules)
    let woken = 0
    for (const [kind, records] of [
      ['project', projects],
      ['app', apps],
      ['logicalDatabase', logicalDatabases],
      ['database', unsettled(needs.databases, databaseRules)],
      ['objectStore', stores],
      ['cloudConnection', connections],
    ] as const) {
      for (const { metadata } of records) {
        if (await needs.isOpen(kind, metadata.name)) continue
        await needs.wake(kind, metadata.name, 'resync: work without an open run')
        woken += 1
      }
    }
    // The run that was woken for it may have been ended by hand; an open one does something about it.
    for (const { kind, name, reason } of needs.due()) {
      if (await needs.isOpen(kind, name)) continue
      await needs.wake(kind, name, `resync: ${reason}`)
      woken += 1
    }
    // What somebody changed on the object server itself or in a cloud, which no watch tells.
    for (const { metadata } of [...(await lostOnServer(needs)), ...(await lostAtAws(needs))]) {
      await needs.wake('objectStore', metadata.name, 'resync: something of it is gone from where its objects are')
      woken += 1
    }
    if ((await needs.platformAsks()) && !(await needs.isOpen('platform', platformConfigName))) {
      await needs.wake('platform', platformConfigName, 'resync: a look at what the DNS provider holds')
      woken += 1
    }
    // A run that was ended by hand right after it wrote a status has not told it.
    for (const app of needs.apps.cache.list()) await tellLast(needs, app)
    // Saves of settings that died between their Secret and the configuration.
    await followSettings(needs)
    const before = needs.now().getTime() - needs.sweepMs
    const swept =
      (await sweepReleases(needs)) + (await sweepWebhookSecrets(needs)) + (await sweepKeys(needs.client, before)) + (await sweepSharedValues(needs, before))
    return { compared: needs.apps.cache.list().length + needs.projects.cache.list().length, woken, swept }
  },
})

/** What is neither ready nor given up. */
function unsettled<T extends Settled & KubeObject>({ cache }: RecordStore<T>, rules: ProvisionRules<T>): readonly T[] {
  return cache.list().filter((record) => isUnsettled(provisionPlan(rules, record.metadata.name, record), record))
}

/** Ready once, and not now: a run may have been ended by hand before it had made everything again. */
function isDisturbed(app: App): boolean {
  return app.spec.deploy.enabled && app.status?.lastAttempt?.phase === 'Succeeded' && readyOf(app.status.conditions)?.status !== 'True'
}

/** Frozen secrets whose deploy was never accepted, since the api died between freezing and accepting. */
async function sweepReleases(needs: ResyncNeeds): Promise<number> {
  const { items } = await needs.client.list<KubeObject>(coreTypes.secret, {
    namespace: systemNamespace,
    labelSelector: `${labels.purpose}=release`,
    metadataOnly: true,
  })
  const cutoff = needs.now().getTime() - needs.sweepMs
  let swept = 0
  for (const { metadata } of items) {
    if (Date.parse(metadata.creationTimestamp ?? '') > cutoff || needs.deployments.cache.get(metadata.name, systemNamespace) !== undefined) continue
    const app = await needs.apps.read(metadata.labels?.[labels.app] ?? '')
    if (app !== undefined && attemptOf(app)?.release === metadata.name) continue
    await needs.client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: metadata.name })
    swept += 1
  }
  return swept
}

/** Signing secrets without a webhook: the api died between the two writes of a save or a deletion. */
async function sweepWebhookSecrets(needs: ResyncNeeds): Promise<number> {
  const labelSelector = `${labels.purpose}=${webhookPurpose}`
  const { items } = await needs.client.list<KubeObject>(coreTypes.secret, { namespace: systemNamespace, labelSelector, metadataOnly: true })
  const cutoff = needs.now().getTime() - needs.sweepMs
  let swept = 0
  for (const { metadata } of items) {
    if (Date.parse(metadata.creationTimestamp ?? '') > cutoff) continue
    const id = metadata.labels?.[labels.webhook]
    const name = metadata.labels?.[labels.project] ?? ''
    const isKnown = (project: Project | undefined) => project?.spec.webhooks.some((hook) => hook.id === id) === true
    if (isKnown(needs.projects.cache.get(name, systemNamespace)) || isKnown(await needs.projects.readLive(name))) continue
    await needs.client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: metadata.name })
    swept += 1
  }
  return swept
}
