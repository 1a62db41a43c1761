/** A project with a place for its backups, and a postgres with backups, on a real node. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { V1Service } from '@kubernetes/client-node'
import type { Client } from '../../client/client.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { serverServiceName } from '../../kinds/databases/names.ts'
import { createProject as createBareProject } from '../rig/services.ts'

export const environment = 'production'
const bucket = 'backups'
export const store = 'bench-backups'
/** The first ones wait for images that are made on this machine. */
const withinMs = 3_600_000
const pollMs = 100

/** Resolves with the project's id, once its bucket is there and chosen for its backups. */
export async function createProject(client: Client): Promise<string> {
  const project = await createBareProject(client)
  await client.call('object-stores.create', {})
  await client.call('object-stores.create', { project, environment, name: store, bucket, deploy: true })
  await untilReady(store, async () => (await client.call('object-stores.get', { store })).resource)
  await client.call('projects.backup-storage', { project, connection: store, bucket })
  return project
}

/** Of the one that is backed up; a node of two cores has capacity for the restored ones besides. */
export const sourceSize = { cpu: '500m', memory: '1Gi', backups: true }

/** Resolves when it answers. Without a size it has the one of a restored database. */
export async function createPostgres(
  client: Client,
  project: string,
  name: string,
  more: Partial<typeof sourceSize> = {},
): Promise<void> {
  const wanted = { project, environment, engine: 'postgres', name, storageSize: '20Gi', ...more, deploy: true } as const
  await client.call('databases.create', wanted)
  await untilDatabase(client, name)
}

/** Frees the capacity for the next one. */
export async function remove(client: Client, project: string, db: string): Promise<void> {
  await client.call('databases.delete', { db, confirmName: db, backupFirst: false })
  const names = async () => (await client.call('databases.list', { project })).items.map(({ name }) => name)
  await until(`${db} is gone`, async () => !(await names()).includes(db))
}

export const untilDatabase = (client: Client, db: string): Promise<void> =>
  untilReady(db, async () => (await client.call('databases.get', { db })).resource)

/** A database is backed up by itself soon after its backups are on: resolves once that one is verified. */
export const untilBackedUp = (client: Client, db: string): Promise<void> =>
  until(`the first backup of ${db} is ready`, async () => {
    const { items } = await client.call('databases.archives', { database: db })
    return items.some(({ state }) => state === 'ready')
  })

/** Takes a backup; resolves with its name once it is verified, and the milliseconds until then. */
export async function backUp(client: Client, db: string): Promise<{ archive: string; took: number }> {
  const began = performance.now()
  const { archive } = await client.call('databases.backup', { db })
  await untilReady(archive, () => client.call('databases.get-archive', { archive }))
  return { archive, took: performance.now() - began }
}

/** Resolves when a moment (RFC 3339) can be restored from this backup. */
export async function untilRestorable(client: Client, archive: string, moment: string): Promise<void> {
  const last = async () => (await client.call('databases.get-archive', { archive })).lastRestorePoint ?? ''
  await until(`${archive} can be restored to ${moment}`, async () => (await last()) >= moment)
}

/** The login of the database, and the address of its Service, which this machine reaches. */
export async function reach(client: Client, cluster: ClusterClient, project: string, db: string) {
  const { database, username, password, port } = await client.call('databases.connection', { db, reveal: true })
  const service = await cluster.get<Sent<V1Service>>({
    type: coreTypes.service,
    namespace: `${project}-${environment}`,
    name: serverServiceName(db, 'postgres'),
  })
  return {
    host: service?.spec?.clusterIP ?? '',
    port: Number(port),
    database,
    user: username,
    password: password ?? '',
  }
}

async function untilReady(what: string, read: () => Promise<{ state: string; message: string }>): Promise<void> {
  await until(`${what} is ready`, async () => {
    const { state, message } = await read()
    if (state === 'failed') throw new Error(`${what} failed: ${message}`)
    return state === 'ready'
  })
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + withinMs; !(await holds()); await sleep(pollMs))
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`)
}
