/** A real node with a bucket of a project for its backups. */
import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '../../../client/client.ts'
import { signInByPassword } from '../../../client/password-sign-in.ts'
import { type ClusterClient, connectCluster } from '../../../cluster/client.ts'
import type { View } from '../../../contract/operations.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { annotations } from '../../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { kubeconfigPath } from '../../../one-machine/node/certificates.ts'
import { freePort } from '../../../one-machine/processes/ports.ts'
import { eventually } from '../../cluster/eventually.ts'
import { makeServersOf } from '../../harness/servers.ts'
import type { Reached } from '../engine-words.ts'
import { Start } from '../started.ts'

export const imagesMs = 15 * 60_000
export const waitMs = 240_000

export interface BackupNode {
  client: Client
  cluster: ClusterClient
  /** Its own folder of the node, with the certificates. */
  nodeDir: string
  project: string
  /** The namespace of its environment `production`. */
  home: string
  untilReady(what: string, read: () => Promise<{ state: string; message: string }>, within: number): Promise<void>
  untilDatabase(db: string, within?: number): Promise<void>
  /** Takes a backup, and gives its name once it is verified. */
  backUp(db: string): Promise<string>
  /** Asks for a restore on trial, and gives how it ended. */
  drill(archive: string): Promise<NonNullable<View<'databases.get-archive'>['drill']>>
  /** How the server is reached from this machine. */
  reached(db: string): Promise<Reached>
  /** Deletes them, and waits until none is left. */
  removeDatabases(names: readonly string[]): Promise<void>
  stop(): Promise<void>
}

export async function startBackupNode(): Promise<BackupNode> {
  await makeServersOf('node')
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-backups-node-'))
  const running = new Start('--cluster', 'node', '--data', dataDir, '--port', String(await freePort()))
  await running.untilServed()
  const baseUrl = /svc +(http:\S+)/.exec(running.output)?.[1] ?? ''
  const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
  const login = { baseUrl, username: 'admin', password, tokenName: 'backups', expiresInDays: 1, userAgent: 'svc-test' }
  const client = createClient({ baseUrl, token: await signInByPassword(login), userAgent: 'svc-test' })
  const nodeDir = join(dataDir, 'node/node')
  const cluster = connectCluster({ kubeconfig: kubeconfigPath(nodeDir, 'admin') })
  const { project } = await client.call('projects.create', {})
  const home = `${project}-production`
  const untilReady: BackupNode['untilReady'] = async (what, read, within) => {
    let last = { state: '', message: '' }
    const isOver = async () => ['ready', 'failed'].includes((last = await read()).state)
    await eventually(`${what} is ready`, isOver, within).catch((error: unknown) => {
      throw new Error(`${what} is ${JSON.stringify(last)}; the start said: ${running.output.slice(-2000)}`, {
        cause: error,
      })
    })
    expect(last.state, `${what}: ${last.message}`).to.equal('ready')
  }
  await client.call('object-stores.create', {})
  const place = { project, environment: 'production' } as const
  await client.call('object-stores.create', { ...place, name: 'kept', bucket: 'backups' })
  await client.call('object-stores.deploy', { store: 'kept' })
  const bucket = async () => (await client.call('object-stores.get', { store: 'kept' })).resource
  await untilReady('the bucket', bucket, imagesMs)
  await client.call('projects.backup-storage', { project, connection: 'kept', bucket: 'backups' })
  return {
    client,
    cluster,
    nodeDir,
    project,
    home,
    untilReady,
    untilDatabase: (db, within = waitMs) =>
      untilReady(db, async () => (await client.call('databases.get', { db })).resource, within),
    async backUp(db) {
      const { archive } = await client.call('databases.backup', { db })
      await untilReady(archive, () => client.call('databases.get-archive', { archive }), imagesMs)
      return archive
    },
    async drill(archive) {
      const asked = new Date().toISOString()
      const record = { type: resourceTypes.backupArchive, namespace: systemNamespace, name: archive }
      await cluster.patch(record, { metadata: { annotations: { [annotations.drill]: asked } } })
      const last = async () => (await client.call('databases.get-archive', { archive })).drill
      await eventually('the drill has ended', async () => (await last())?.asked === asked, imagesMs)
      return (await last()) ?? expect.fail(`no drill of ${archive}`)
    },
    async reached(db) {
      const connection = await client.call('databases.connection', { db, reveal: true })
      const { host, port, database, username, password: word = '' } = connection
      const service = await cluster.get<KubeObject & { spec: { clusterIP: string } }>({
        type: coreTypes.service,
        namespace: home,
        name: host.split('.')[0] ?? '',
      })
      return { host: service?.spec.clusterIP ?? '', port, database, username, password: word }
    },
    async removeDatabases(names) {
      for (const db of names) await client.call('databases.delete', { db, confirmName: db })
      const isGone = async () => (await client.call('databases.list', { project })).items.length === 0
      await eventually('all are gone', isGone, waitMs)
    },
    async stop() {
      await cluster.close()
      await running.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
