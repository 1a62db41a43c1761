/**
 * Databases on a real node, by `npm start` and the API: the engines' own servers answer, services use them, and data
 * outlives its pod. Where no registry is reachable their images are made of packages, and `mysql` is MariaDB as a
 * stand-in.
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
import { type Engine, engines, type Reached, withPostgres } from '../engine-words.ts'
import { Start, startWithinMs } from '../started.ts'

/** The first run on a machine downloads packages and builds a server, which takes minutes. */
const imagesMs = 15 * 60_000
const waitMs = 120_000
const can = canHaveNode()

;(can.ok ? describe : describe.skip)('databases on a real node', function () {
  this.timeout(imagesMs + startWithinMs)
  const names: Record<Engine, string> = {
    postgres: 'data-postgres',
    redis: 'data-redis',
    mysql: 'data-mysql',
    sqlite: 'data-sqlite',
  }
  let dataDir: string
  let running: Start
  let client: Client
  let cluster: ClusterClient & { close(): Promise<void> }
  let project: string
  let home: string

  before(async () => {
    await makeServersOf('node')
    dataDir = mkdtempSync(join(tmpdir(), 'svc-databases-node-'))
    running = new Start('--cluster', 'node', '--data', dataDir, '--port', String(await freePort()))
    await running.untilServed()
    const baseUrl = /svc +(http:\S+)/.exec(running.output)?.[1] ?? ''
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const token = await signInByPassword({
      baseUrl,
      username: 'admin',
      password,
      tokenName: 'databases',
      expiresInDays: 1,
      userAgent: 'svc-test',
    })
    client = createClient({ baseUrl, token, userAgent: 'svc-test' })
    cluster = connectCluster({ kubeconfig: kubeconfigPath(join(dataDir, 'node/node'), 'admin') })
    project = (await client.call('projects.create', {})).project
    home = `${project}-production`
    for (const engine of Object.keys(names) as Engine[]) {
      await client.call('databases.create', {
        project,
        environment: 'production',
        engine,
        name: names[engine],
        cpu: '200m',
        deploy: true,
      })
    }
  })
  after(async () => {
    await cluster?.close()
    await running?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const stateOf = async (db: string): Promise<string> => {
    const { state, message } = (await client.call('databases.get', { db })).resource
    return message === '' ? state : `${state}: ${message}`
  }
  const untilReady = async (db: string, within: number): Promise<void> => {
    let last = ''
    await eventually(`${db} is ready`, async () => (last = await stateOf(db)) === 'ready', within).catch(
      (error: unknown) => {
        throw new Error(`${db} is ${last}; the start said: ${running.output.slice(-2000)}`, { cause: error })
      },
    )
  }
  /** As services reach it, but by the address of its Service: this machine does not resolve names of the cluster. */
  const reached = async (db: string): Promise<Reached> => {
    const {
      host,
      port,
      database,
      username,
      password = '',
    } = await client.call('databases.connection', { db, reveal: true })
    const name = host.split('.')[0] ?? ''
    const service = await cluster.get<KubeObject & { spec: { clusterIP: string } }>({
      type: coreTypes.service,
      namespace: home,
      name,
    })
    return { host: service?.spec.clusterIP ?? '', port, database, username, password }
  }
  const withoutPod = async (db: string): Promise<void> => {
    const ref = { type: coreTypes.pod, namespace: home, name: `${db}-0` }
    const before = await cluster.get<KubeObject>(ref)
    await cluster.delete(ref)
    await eventually(
      'another pod',
      async () => ![undefined, before?.metadata.uid].includes((await cluster.get<KubeObject>(ref))?.metadata.uid),
      waitMs,
    )
  }

  for (const engine of Object.keys(names) as Engine[]) {
    const named = engine === 'mysql' ? 'mysql (MariaDB stands in for it where no registry can be reached)' : engine
    it(`${named} takes its login alone, and its data outlives its pod`, async () => {
      const db = names[engine]
      await untilReady(db, imagesMs)
      const at = await reached(db)
      await engines[engine].put(at)
      const stranger = await engines[engine].take({ ...at, password: 'another' }).then(
        (word) => `got ${word}`,
        () => 'refused',
      )
      expect(stranger).to.equal('refused')
      await withoutPod(db)
      await untilReady(db, waitMs)
      let word = ''
      await eventually(
        'the data is there',
        async () => (word = await engines[engine].take(at).catch(() => '')) !== '',
        waitMs,
      )
      expect(word).to.equal('otter')
    })
  }

  it('a service that postgres is attached to runs a query on it', async () => {
    await client.call('apps.create', { project, environment: 'production', name: 'asker', image: 'postgres:16' })
    await client.call('apps.attach', { app: 'asker', kind: 'database', name: names.postgres })
    const script = 'echo "found $(psql "$DATABASE_URL" -Atc "SELECT word FROM kept")"; sleep 3600'
    await client.call('apps.update', { app: 'asker', command: ['sh', '-c', script], deploy: true })
    const said = async (): Promise<string[]> =>
      (await client.call('apps.logs', { app: 'asker' })).lines.map(({ line }) => line)
    await eventually('it says what it found', async () => (await said()).includes('found otter'), waitMs)
  })

  it('an edit rolls the server, which keeps its data', async () => {
    const db = names.postgres
    await client.call('databases.update', { db, version: '16.2', memory: '300Mi' })
    await client.call('databases.deploy', { db })
    await untilReady(db, waitMs)
    const at = await reached(db)
    expect(
      await withPostgres(
        at,
        async (server) =>
          (await server.query<{ server_version: string }>('SHOW server_version')).rows[0]?.server_version,
      ),
    ).to.match(/^16\./)
    expect(await engines.postgres.take(at)).to.equal('otter')
  })

  it('a server that is killed while it makes its first files starts over, and becomes ready', async () => {
    const db = 'data-killed'
    await client.call('databases.create', {
      project,
      environment: 'production',
      engine: 'postgres',
      name: db,
      deploy: true,
    })
    const pod = { type: coreTypes.pod, namespace: home, name: `${db}-0` }
    const runs = async () =>
      (await cluster.get<KubeObject & { status?: { phase?: string } }>(pod))?.status?.phase === 'Running'
    await eventually('it runs', runs, waitMs)
    await cluster.delete(pod, { gracePeriodSeconds: 0 })
    await untilReady(db, waitMs)
    await engines.postgres.put(await reached(db))
  })

  it('a deleted one leaves nothing behind', async () => {
    for (const db of Object.values(names)) await client.call('databases.delete', { db, confirmName: db })
    await eventually(
      'they are gone',
      async () => (await client.call('databases.list', { project })).items.every(({ name }) => name === 'data-killed'),
      waitMs,
    )
    const left = await Promise.all(
      [coreTypes.persistentVolumeClaim, coreTypes.secret, coreTypes.statefulSet, coreTypes.service, coreTypes.pod].map(
        async (type) =>
          (await cluster.list(type, { namespace: home, metadataOnly: true })).items.map(
            ({ metadata }) => metadata.name,
          ),
      ),
    )
    expect(left.flat().filter((name) => Object.values(names).some((db) => name.includes(db)))).to.deep.equal([])
  })
})
