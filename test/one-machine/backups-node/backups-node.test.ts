/**
 * Backups on a real node, by `npm start` and the API: each engine is backed up into a bucket on the object server, its
 * data is changed, and the backup is restored into another database that services can use. Takes minutes, so it runs
 * when its folder is named. Where no registry is reachable `mysql` is MariaDB as a stand-in.
 */
import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '../../../client/client.ts'
import { signInByPassword } from '../../../client/password-sign-in.ts'
import { type ClusterClient, connectCluster } from '../../../cluster/client.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { kubeconfigPath } from '../../../one-machine/node/certificates.ts'
import { freePort } from '../../../one-machine/processes/ports.ts'
import { eventually } from '../../cluster/eventually.ts'
import { makeServersOf } from '../../harness/servers.ts'
import { type Engine, engines, type Reached } from '../engine-words.ts'
import { Start, startWithinMs } from '../started.ts'

const imagesMs = 15 * 60_000
const patienceMs = 240_000
const can = canHaveNode()

;(can.ok ? describe : describe.skip)('backups on a real node', function () {
  this.timeout(imagesMs + startWithinMs)
  const names: Record<Engine, string> = {
    redis: 'kept-redis',
    sqlite: 'kept-sqlite',
    postgres: 'kept-postgres',
    mysql: 'kept-mysql',
  }
  let dataDir: string
  let running: Start
  let client: Client
  let cluster: ClusterClient & { close(): Promise<void> }
  let project: string
  let home: string

  before(async () => {
    await makeServersOf('node')
    dataDir = mkdtempSync(join(tmpdir(), 'svc-backups-node-'))
    running = new Start('--cluster', 'node', '--data', dataDir, '--port', String(await freePort()))
    await running.untilServed()
    const baseUrl = /svc +(http:\S+)/.exec(running.output)?.[1] ?? ''
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const token = await signInByPassword({
      baseUrl,
      username: 'admin',
      password,
      tokenName: 'backups',
      expiresInDays: 1,
      userAgent: 'svc-test',
    })
    client = createClient({ baseUrl, token, userAgent: 'svc-test' })
    cluster = connectCluster({ kubeconfig: kubeconfigPath(join(dataDir, 'node/node'), 'admin') })
    project = (await client.call('projects.create', {})).project
    home = `${project}-production`
    await client.call('object-stores.create', {})
    const place = { project, environment: 'production' } as const
    await client.call('object-stores.create', { ...place, name: 'kept', bucket: 'backups' })
    await client.call('object-stores.deploy', { store: 'kept' })
  })
  after(async () => {
    await cluster?.close()
    await running?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const untilReady = async (what: string, read: () => Promise<{ state: string; message: string }>, within: number) => {
    let last = { state: '', message: '' }
    const isOver = async () => ['ready', 'failed'].includes((last = await read()).state)
    await eventually(`${what} is ready`, isOver, within).catch((error: unknown) => {
      throw new Error(`${what} is ${JSON.stringify(last)}; the start said: ${running.output.slice(-2000)}`, {
        cause: error,
      })
    })
    expect(last.state, `${what}: ${last.message}`).to.equal('ready')
  }
  const untilDatabase = (db: string, within = patienceMs) =>
    untilReady(db, async () => (await client.call('databases.get', { db })).resource, within)
  const reached = async (db: string): Promise<Reached> => {
    const {
      host,
      port,
      database,
      username,
      password = '',
    } = await client.call('databases.connection', {
      db,
      reveal: true,
    })
    const service = await cluster.get<KubeObject & { spec: { clusterIP: string } }>({
      type: coreTypes.service,
      namespace: home,
      name: host.split('.')[0] ?? '',
    })
    return { host: service?.spec.clusterIP ?? '', port, database, username, password }
  }
  const taken = async (engine: Engine, at: Reached): Promise<string> => {
    let word = ''
    const take = async () => (word = await engines[engine].take(at).catch(() => '')) !== ''
    await eventually('the word is there', take, patienceMs)
    return word
  }

  it('go to a bucket of the project', async () => {
    await untilReady(
      'the bucket',
      async () => (await client.call('object-stores.get', { store: 'kept' })).resource,
      imagesMs,
    )
    await client.call('projects.backup-storage', { project, connection: 'kept', bucket: 'backups' })
  })

  for (const engine of Object.keys(names) as Engine[])
    it(`of ${engine} are verified, and restored into another database with a login of its own`, async () => {
      const db = names[engine]
      const place = { project, environment: 'production' } as const
      await client.call('databases.create', { ...place, engine, name: db, cpu: '100m', memory: '300Mi', deploy: true })
      await untilDatabase(db, imagesMs)
      const at = await reached(db)
      await engines[engine].put(at)
      const began = Date.now()
      const { archive } = await client.call('databases.backup', { db })
      await untilReady(archive, () => client.call('databases.get-archive', { archive }), imagesMs)
      const stored = Date.now()
      const { items } = await client.call('databases.archives', { project, database: db })
      expect(items.map(({ name }) => name)).to.deep.equal([archive])
      const { name } = await client.call('databases.restore', { archive })
      await untilDatabase(name)
      console.log(`      ${engine}: stored in ${stored - began} ms, restored in ${Date.now() - stored} ms`)
      const other = await reached(name)
      expect(other.password).not.to.equal(at.password)
      expect(await taken(engine, other)).to.equal('otter')
      for (const each of [db, name]) await client.call('databases.delete', { db: each, confirmName: each })
      const isGone = async () => (await client.call('databases.list', { project })).items.length === 0
      await eventually('both are gone', isGone, patienceMs)
    })

  it('leave neither Jobs nor keys in the environment', async () => {
    const left = await Promise.all(
      [coreTypes.job, coreTypes.secret].map(async (type) =>
        (await cluster.list(type, { namespace: home, metadataOnly: true })).items.map(({ metadata }) => metadata.name),
      ),
    )
    expect(left.flat().filter((name) => /-(backup|restore)$/.test(name))).to.deep.equal([])
  })
})
