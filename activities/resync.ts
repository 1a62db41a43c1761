/** The regular comparison of every record with its workflow: finds runs that were ended by hand, and sweeps what has no owner. */

import type { KubeObject } from '../cluster/object.ts'
import { coreTypes } from '../cluster/resource-type.ts'
import { labels } from '../kinds/annotations.ts'
import { attemptOf } from '../kinds/apps/attempt.ts'
import type { App } from '../kinds/apps/kind.ts'
import { attemptLogPurpose } from '../kinds/apps/names.ts'
import { planOf } from '../kinds/apps/next-story.ts'
import { readyOf } from '../kinds/conditions.ts'
import { connectionRules } from '../kinds/cloud-connections/in-force.ts'
import { systemNamespace } from '../kinds/group.ts'
import { secretPurposes } from '../kinds/named-secret.ts'
import { logicalDatabaseRules } from '../kinds/logical-databases/in-force.ts'
import { databaseRules } from '../kinds/databases/in-force.ts'
import { storeRules } from '../kinds/object-stores/in-force.ts'
import { isUnsettled, type Settled, provisionPlan, type ProvisionRules } from '../kinds/provision-plan.ts'
import { platformConfigName } from '../kinds/platform/settings.ts'
import { resourceTypes } from '../kinds/resource-types.ts'
import { planOfProject } from '../kinds/projects/intent.ts'
import type { Project } from '../kinds/projects/kind.ts'
import type { SettledKind } from '../durable/ids.ts'
import type { RecordStore } from '../records/record-store.ts'
import { removeSeen } from '../records/named-secret.ts'
import { sweepKeys } from '../records/cloud-connections/sweep-keys.ts'
import { bindEnvironments } from '../records/projects/environment-bindings.ts'
import { sweepSharedValues } from '../records/projects/sweep-shared-values.ts'
import { followSettings } from '../records/settings/save-setting.ts'
import type { ActivityNeeds } from './needs.ts'
import { lostElsewhere } from './databases/lost-elsewhere.ts'
import { lostOnDatabaseServers } from './logical-databases/lost-on-server.ts'
import { forgetCreation } from './logical-databases/remove.ts'
import { lostAtAws } from './object-stores/lost-at-aws.ts'
import { lostOnServer } from './object-stores/lost-on-server.ts'
import { tellLast } from './tell-webhooks.ts'

/** A record whose workflow has reason to look at it. */
export interface Due {
  kind: SettledKind
  name: string
  reason: string
}

export interface ResyncNeeds extends ActivityNeeds {
  /** Whether a run is open for the record. */
  isOpen: (kind: SettledKind, name: string) => Promise<boolean>
  /** Whether the platform's configuration, or what was made for it, is to be looked at. */
  platformAsks: () => Promise<boolean>
  wake: (kind: SettledKind, name: string, reason: string) => Promise<void>
  /** Whose workflow the watch finds reason to wake, as it compares records with what was made for them from memory. */
  due: () => readonly Due[]
  /** Age at which what has no owner is swept: frozen secrets without a deploy, the history of services that are gone, and the like. */
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
    const unended = 'resync: work without an open run'
    const asked = [
      ...needs.projects.cache.list().flatMap((project) => dueIf(planOfProject(project).story !== 'rest', 'project', project, unended)),
      ...needs.apps.cache.list().flatMap((app) => dueIf(planOf(app).story !== 'rest' || isDisturbed(app), 'app', app, unended)),
      ...unsettled('logicalDatabase', needs.logicalDatabases, logicalDatabaseRules, unended),
      ...unsettled('database', needs.databases, databaseRules, unended),
      ...unsettled('objectStore', needs.objectStores, storeRules, unended),
      ...unsettled('cloudConnection', needs.cloudConnections, connectionRules, unended),
      // The run that was woken for it may have been ended by hand.
      ...needs.due().map((due) => ({ ...due, reason: `resync: ${due.reason}` })),
    ]
    if (await needs.platformAsks()) asked.push({ kind: 'platform', name: platformConfigName, reason: 'resync: a look at what the DNS provider holds' })
    let woken = 0
    // One for each record; an open run does something about it by itself.
    for (const { kind, name, reason } of new Map(asked.map((due) => [`${due.kind}/${due.name}`, due])).values()) {
      if (await needs.isOpen(kind, name)) continue
      await needs.wake(kind, name, reason)
      woken += 1
    }
    // What somebody changed on a server itself or in a cloud, which no watch tells.
    for (const { metadata } of [...(await lostOnServer(needs)), ...(await lostAtAws(needs))]) {
      await needs.wake('objectStore', metadata.name, 'resync: something of it is gone from where its objects are')
      woken += 1
    }
    for (const { metadata } of await lostElsewhere(needs)) {
      await needs.wake('database', metadata.name, 'resync: its server refuses the login that services have, or the password was changed')
      woken += 1
    }
    for (const database of await lostOnDatabaseServers(needs)) {
      await forgetCreation(needs, database)
      await needs.wake('logicalDatabase', database.metadata.name, 'resync: its login no longer gets into its database')
      woken += 1
    }
    // A run that was ended by hand right after it wrote a status has not told it.
    for (const app of needs.apps.cache.list()) await tellLast(needs, app)
    // Bindings that somebody removed: without them nothing can be mended there, nor a connection revealed.
    await bindEnvironments(needs.client)
    // Saves of settings that died between their Secret and the configuration.
    await followSettings(needs)
    const before = needs.now().getTime() - needs.sweepMs
    const swept =
      (await sweepReleases(needs)) +
      (await sweepHistory(needs)) +
      (await sweepWebhookSecrets(needs)) +
      (await sweepKeys(needs.client, before)) +
      (await sweepSharedValues(needs, before))
    return { compared: needs.apps.cache.list().length + needs.projects.cache.list().length, woken, swept }
  },
})

const dueIf = (isDue: boolean, kind: SettledKind, { metadata: { name } }: KubeObject, reason: string): Due[] => (isDue ? [{ kind, name, reason }] : [])

/** What is neither ready nor given up. */
function unsettled<T extends Settled & KubeObject>(kind: SettledKind, { cache }: RecordStore<T>, rules: ProvisionRules<T>, reason: string): Due[] {
  return cache.list().flatMap((record) => dueIf(isUnsettled(provisionPlan(rules, record.metadata.name, record), record), kind, record, reason))
}

/** Ready once, and not now: a run may have been ended by hand before it had made everything again. */
function isDisturbed(app: App): boolean {
  return app.spec.deploy.enabled && app.status?.lastAttempt?.phase === 'Succeeded' && readyOf(app.status.conditions)?.status !== 'True'
}

/** Frozen secrets whose deploy was never accepted, since the api died between freezing and accepting. */
async function sweepReleases(needs: ResyncNeeds): Promise<number> {
  const { items } = await needs.client.list<KubeObject>(coreTypes.secret, {
    namespace: systemNamespace,
    labelSelector: `${labels.purpose}=${secretPurposes.release}`,
    metadataOnly: true,
  })
  const cutoff = needs.now().getTime() - needs.sweepMs
  let swept = 0
  for (const secret of items) {
    const { metadata } = secret
    if (Date.parse(metadata.creationTimestamp ?? '') > cutoff || needs.deployments.cache.get(metadata.name, systemNamespace) !== undefined) continue
    const app = await needs.apps.read(metadata.labels?.[labels.app] ?? '')
    if (app !== undefined && attemptOf(app)?.release === metadata.name) continue
    if (await removeSeen(needs.client, coreTypes.secret, secret)) swept += 1
  }
  return swept
}

/** Records and logs of deploys whose service is gone: a slow api or worker wrote them after its deletion had looked for them. */
async function sweepHistory(needs: ResyncNeeds): Promise<number> {
  const labelSelector = `${labels.purpose}=${attemptLogPurpose}`
  const logs = await needs.client.list<KubeObject>(coreTypes.configMap, { namespace: systemNamespace, labelSelector, metadataOnly: true })
  const cutoff = needs.now().getTime() - needs.sweepMs
  let swept = 0
  for (const [type, records] of [
    [resourceTypes.deployment, needs.deployments.cache.list()],
    [coreTypes.configMap, logs.items],
  ] as const) {
    for (const record of records) {
      const { metadata } = record
      const [owner, app = ''] = [metadata.labels?.[labels.owner], metadata.labels?.[labels.app]]
      if (owner === undefined || Date.parse(metadata.creationTimestamp ?? '') > cutoff) continue
      const isOwner = (found: App | undefined) => found?.metadata.uid === owner
      if (isOwner(needs.apps.cache.get(app, systemNamespace)) || isOwner(await needs.apps.readLive(app))) continue
      if (await removeSeen(needs.client, type, record)) swept += 1
    }
  }
  return swept
}

/** Signing secrets without a webhook: the api died between the two writes of a save or a deletion. */
async function sweepWebhookSecrets(needs: ResyncNeeds): Promise<number> {
  const labelSelector = `${labels.purpose}=${secretPurposes.webhook}`
  const { items } = await needs.client.list<KubeObject>(coreTypes.secret, { namespace: systemNamespace, labelSelector, metadataOnly: true })
  const cutoff = needs.now().getTime() - needs.sweepMs
  let swept = 0
  for (const secret of items) {
    const { metadata } = secret
    if (Date.parse(metadata.creationTimestamp ?? '') > cutoff) continue
    const id = metadata.labels?.[labels.webhook]
    const name = metadata.labels?.[labels.project] ?? ''
    const isKnown = (project: Project | undefined) => project?.spec.webhooks.some((hook) => hook.id === id) === true
    if (isKnown(needs.projects.cache.get(name, systemNamespace)) || isKnown(await needs.projects.readLive(name))) continue
    if (await removeSeen(needs.client, coreTypes.secret, secret)) swept += 1
  }
  return swept
}
