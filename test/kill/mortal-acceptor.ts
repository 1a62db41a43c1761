/** A process that accepts operations with the api's own records functions and wakes, and can be killed at any write. */
import { randomBytes } from 'node:crypto'
import { connectCluster } from '../../cluster/client.ts'
import { ResourceCache } from '../../cluster/cache/cache.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import { Problem, refusals } from '../../contract/problem.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { readPush } from '../../kinds/apps/git/push.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { archiveName } from '../../kinds/backup-archives/names.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { isAbout, readPullRequest } from '../../kinds/projects/pull-request-delivery.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { acceptDeploy } from '../../records/apps/accept-deploy.ts'
import { acceptRollback } from '../../records/apps/accept-rollback.ts'
import { askDeletion } from '../../records/apps/ask-deletion.ts'
import { createDraft, newSpec } from '../../records/apps/create-draft.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import { setSecret } from '../../records/apps/secrets.ts'
import { askBackup } from '../../records/backups/ask-backup.ts'
import { readArchive } from '../../records/backups/read-archive.ts'
import { askDatabaseDeletion } from '../../records/databases/ask-deletion.ts'
import { type RecordStore, recordStore } from '../../records/store/record-store.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { createPushes } from '../../temporal/client/pushes.ts'
import { createWakes } from '../../temporal/client/wakes.ts'
import { lateClient } from '../harness/late-client.ts'
import type { Answer, Asked, Call } from './acceptor-calls.ts'
import { endWithParent } from './end-with-parent.ts'
import { type Death, endAtOnce, mortalClient } from './mortal-client.ts'

const { client, arm } = mortalClient(lateClient(connectCluster()), endAtOnce)
const settings = temporalSettings(process.env)
const options = { client: connectTemporal(settings).client, policy: settings.policy, searchable: true }
const wakes = createWakes(options, silentLog)
const pushes = createPushes(options)

const open = async <T extends KubeObject>(
  type: ResourceType,
  indexes: Record<string, (record: T) => string[]> = {},
): Promise<RecordStore<T>> => {
  const cache = new ResourceCache<T>({ client, type, namespace: systemNamespace, log: silentLog, indexes })
  await cache.start()
  return recordStore(client, cache, type)
}
const apps = await open<App>(resourceTypes.app)
const projects = await open<Project>(resourceTypes.project)
const databases = await open<Database>(resourceTypes.database)
const logicalDatabases = await open<LogicalDatabase>(resourceTypes.logicalDatabase)
const backupArchives = await open<BackupArchive>(resourceTypes.backupArchive)
const deployments = await open<Deployment>(resourceTypes.deployment, { app: (record) => [record.spec.app] })
const needs = {
  client,
  apps,
  projects,
  deployments,
  now: () => new Date(),
  hostTrouble: async () => undefined,
  // This process handles no databases or buckets.
  names: {
    taken: (_: unknown, name: string) => apps.cache.get(name, systemNamespace) !== undefined,
    heldNow: async (_: unknown, name: string) => (await apps.readLive(name)) !== undefined,
    takenNow: async () => false,
  },
}
const caller = { actor: 'driver', requestId: 'driver', title: 'Driven' }

async function found(name: string): Promise<App> {
  const app = await apps.read(name)
  if (app === undefined) throw new Problem('not_found', refusals.appNotFound)
  return app
}

async function create({
  name,
  project,
  image,
  replicas,
  config,
}: Extract<Call, { verb: 'create' }>): Promise<App | undefined> {
  const known = await apps.readLive(name)
  if (known !== undefined) return known // the answer to the request before was lost
  const spec = newSpec({ project, environment: 'production', source: 'image', image, replicas, port: 8080 })
  return await createDraft(needs, name, { ...spec, configData: config })
}

async function rollback({ name, revision, requestId }: Extract<Call, { verb: 'rollback' }>): Promise<App> {
  const live = await apps.readLive(name)
  // The answer to the request before was lost.
  if (live !== undefined && viewOf(live).attempt?.requestId === requestId) return live
  return await acceptRollback(needs, await found(name), { ...caller, requestId, revision })
}

/** What the api does with a delivery once its signature is checked. */
async function deliver({ event, delivery, body }: Extract<Call, { verb: 'deliver' }>): Promise<void> {
  const push = event === 'push' ? readPush(body) : undefined
  if (push !== undefined) return await pushes.start({ delivery, push })
  const pullRequest = readPullRequest(body)
  if (pullRequest === undefined) throw new Problem('invalid_request', 'the delivery is of no use')
  for (const { metadata, spec } of projects.cache.list()) {
    const ref = { ...pullRequest, project: metadata.name }
    if (isAbout(spec, ref, pullRequest.installation))
      await pushes.wakePullRequest(ref, { reason: 'an event of the git host' })
  }
}

type OfBackups = Extract<Call, { verb: 'backup' | 'restore' | 'delete-backup' | 'delete-database' }>

/** The names of these are read from the cluster: another process may have made what they are about. */
async function performOnBackups(call: OfBackups): Promise<{ kind: 'backupArchive' | 'database'; name: string }> {
  const { name } = call
  const backups = { client, projects, databases, logicalDatabases, backupArchives }
  if (call.verb === 'restore') return { kind: 'database', name: await restore(await readArchive(backupArchives, name)) }
  if (call.verb === 'delete-backup') {
    const archive = await backupArchives.readLive(name)
    if (archive !== undefined) await backupArchives.remove(name, archive.metadata.uid ?? '')
    return { kind: 'backupArchive', name }
  }
  const database = await databases.readLive(name)
  if (call.verb === 'delete-database') {
    if (database !== undefined) await askDatabaseDeletion(backups, database, name, { backupFirst: call.backupFirst })
    return { kind: 'database', name }
  }
  if (database === undefined) throw new Problem('not_found', 'database not found')
  const wanted = { name: archiveName(name, needs.now()), trigger: 'Manual', actor: caller.actor } as const
  return { kind: 'backupArchive', name: (await askBackup(backups, database, wanted)).metadata.name }
}

/** Without what the api looks at besides, such as the capacity that the cluster has. */
async function restore({ metadata, spec }: BackupArchive): Promise<string> {
  const { project, environment, engine, version, storageSize } = spec
  const made = await databases.create({
    apiVersion,
    kind: resourceTypes.database.kind,
    metadata: { name: `restored-${randomBytes(4).toString('hex')}`, namespace: systemNamespace },
    spec: databaseSpec.parse({
      ...{ project, environment, engine, version, storageSize },
      restoreFrom: { archive: metadata.name },
      deploy: { enabled: true },
    }),
  })
  return made.metadata.name
}

async function perform(call: Exclude<Call, { verb: 'deliver' } | OfBackups>): Promise<App | undefined> {
  switch (call.verb) {
    case 'create':
      return await create(call)
    case 'save':
      return await editSpec(needs, call.name, ({ spec }) => ({
        ...spec,
        source: { image: { image: call.image } },
        configData: call.config,
      }))
    case 'save-function':
      return await editSpec(needs, call.name, ({ spec }) => {
        const { function: code } = spec.source
        if (code === undefined) throw new Problem('invalid_request', 'the service is no function')
        return { ...spec, source: { function: { ...code, code: call.code, triggers: [...call.triggers] } } }
      })
    case 'set-secret':
      return (await setSecret(needs, await found(call.name), call.key, call.value)).app
    case 'deploy':
      return await acceptDeploy(needs, await found(call.name), { ...caller, operation: 'deploy', record: call.record })
    case 'rollback':
      return await rollback(call)
    case 'scale':
      return await editSpec(needs, call.name, ({ spec }) => ({ ...spec, replicas: call.replicas }))
    case 'delete': {
      const app = await apps.readLive(call.name)
      if (app !== undefined) await askDeletion(needs, app, call.name)
      return undefined
    }
    default:
      return call satisfies never
  }
}

const ofBackups: readonly Call['verb'][] = ['backup', 'restore', 'delete-backup', 'delete-database']
const isOfBackups = (call: Call): call is OfBackups => ofBackups.includes(call.verb)

async function answer({ id, call }: Asked): Promise<Answer> {
  try {
    if (call.verb === 'deliver') {
      await deliver(call)
      return { id, outcome: 'accepted', attempt: '' }
    }
    if (isOfBackups(call)) {
      const { kind, name } = await performOnBackups(call)
      wakes.wake(kind, name, { reason: `${call.verb} requested`, actor: caller.actor })
      return { id, outcome: 'accepted', attempt: call.verb === 'backup' ? name : '' }
    }
    const app = await perform(call)
    wakes.wake('app', call.name, { reason: `${call.verb} requested`, actor: 'driver' })
    return { id, outcome: 'accepted', attempt: app === undefined ? '' : (viewOf(app).attempt?.record ?? '') }
  } catch (error) {
    if (error instanceof Problem && error.code !== 'internal_error')
      return { id, outcome: 'refused', message: error.message }
    return { id, outcome: 'unanswered', message: error instanceof Error ? error.message : String(error) }
  }
}

process.on('message', (message: Asked | Death) => {
  if ('when' in message) arm(message)
  else void answer(message).then((reply) => process.send?.(reply))
})
endWithParent()
console.log('the acceptor is ready')
