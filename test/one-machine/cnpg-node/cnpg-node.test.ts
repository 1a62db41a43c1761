/**
 * A highly available postgres by CloudNativePG's own operator on a real node, by `npm start` and the API. Its operator
 * is built once, which takes minutes, so the folder runs only when it is named.
 */
import type { V1Pod, V1Secret } from '@kubernetes/client-node'
import { expect } from 'chai'
import { setTimeout as delay } from 'node:timers/promises'
import type { KubeObject, Sent } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import type { OperatedView } from '../../../kinds/databases/cloudnativepg.ts'
import { postgresCluster } from '../../../kinds/meta/resource-types.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { eventually, eventuallyOnNode } from '../../cluster/eventually.ts'
import { type BackupNode, imagesMs, waitMs, startBackupNode } from '../backups-node/backup-node.ts'
import { type Reached, withPostgres } from '../engine-words.ts'
import { startWithinMs } from '../started.ts'
import { installOperator, postgresVersions } from './operator.ts'

type Cluster = KubeObject & OperatedView

const can = canHaveNode()
const buildMs = 60 * 60_000
const db = 'orders'
const copies = 3
const rows = 1_000
const restMs = 45_000
const foreignRule = 'host all all 10.9.9.9/32 reject'
const ownRule = 'host replication postgres all scram-sha-256'
const [firstVersion, laterVersion] = postgresVersions

;(can.ok ? describe : describe.skip)('a postgres of CloudNativePG on a real node', function () {
  this.timeout(buildMs + startWithinMs)
  let node: BackupNode
  let archive = ''
  let restored = ''

  before(async () => {
    node = await startBackupNode()
    await installOperator(node.nodeDir)
  })
  after(() => node?.stop())

  const state = async (name: string) => (await node.client.call('databases.get', { db: name })).resource.state
  const ask = async (at: Reached, text: string): Promise<string> =>
    withPostgres(at, async (server) => String((await server.query<{ said: unknown }>(text)).rows[0]?.said))
  const administrator = async (name: string): Promise<Reached> => {
    const at = await node.reached(name)
    const secret = { type: coreTypes.secret, namespace: node.home, name: `${name}-admin` }
    const password = (await node.cluster.get<Sent<V1Secret>>(secret))?.data?.['password'] ?? ''
    return { ...at, username: 'postgres', password: Buffer.from(password, 'base64').toString() }
  }
  const clusterRef = (name: string) => ({ type: postgresCluster, namespace: node.home, name })
  const clusterOf = async (name: string): Promise<Cluster> => {
    const found = await node.cluster.get<Cluster>(clusterRef(name))
    if (found === undefined) throw new Error(`${name} has no Cluster`)
    return found
  }
  const podsOf = async (name: string): Promise<Sent<V1Pod>[]> =>
    (
      await node.cluster.list<Sent<V1Pod>>(coreTypes.pod, {
        namespace: node.home,
        labelSelector: `cnpg.io/cluster=${name}`,
      })
    ).items
  /** Of each copy that is ready: its image and how much memory it may have. */
  const running = async (name: string): Promise<string[]> =>
    (await podsOf(name))
      .filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
      .map(({ spec }) => spec?.containers.find((container) => container.name === 'postgres'))
      .map((postgres) => `${postgres?.image?.split(':').at(-1)} ${postgres?.resources?.limits?.['memory']}`)

  it('is ready once every copy is, and answers at that moment', async () => {
    const place = { project: node.project, environment: 'production', name: db } as const
    const size = { cpu: '100m', memory: '300Mi', storageSize: '1Gi', clusterSize: copies }
    await node.client.call('databases.create', { ...place, ...size, version: firstVersion, deploy: true })
    const began = Date.now()
    await node.untilDatabase(db, imagesMs)
    const at = await node.reached(db)
    expect(await ask(at, 'SELECT 1 AS said')).to.equal('1')
    console.log(`      ready in ${Date.now() - began} ms`)
    expect(await running(db)).to.deep.equal(Array.from({ length: copies }, () => `${firstVersion} 300Mi`))
    const replicas = "SELECT count(*) AS said FROM pg_stat_replication WHERE state = 'streaming'"
    expect(await ask(await administrator(db), replicas)).to.equal(String(copies - 1))
    await ask(at, `CREATE TABLE kept AS SELECT generate_series(1, ${rows}) AS number`)
  })

  it('has the rules of others in its pg_hba beside the one for backups, without a restart', async () => {
    const admin = await administrator(db)
    const started = 'SELECT pg_postmaster_start_time()::text AS said'
    const ruled = (type: string, to: string) =>
      ask(
        admin,
        `SELECT count(*) AS said FROM pg_hba_file_rules WHERE ${to} = ANY(database) AND auth_method = '${type}'`,
      )
    const since = await ask(admin, started)
    await node.cluster.patch(clusterRef(db), { spec: { postgresql: { pg_hba: [foreignRule] } } })
    await node.client.call('databases.update', { db, backups: true })
    await eventuallyOnNode('the rule for backups is there', async () => {
      return ((await clusterOf(db)).spec?.postgresql?.pg_hba ?? []).includes(ownRule)
    })
    expect((await clusterOf(db)).spec?.postgresql?.pg_hba).to.deep.equal([foreignRule, ownRule])
    await eventuallyOnNode('the server has the rule of others', async () => (await ruled('reject', "'all'")) === '1')
    await eventuallyOnNode('the server has the rule for backups', async () => {
      return Number(await ruled('scram-sha-256', "'replication'")) > 0
    })
    expect(await ask(admin, started)).to.equal(since)
    await node.untilDatabase(db)
  })

  it('is not written to at rest', async () => {
    const { generation } = (await clusterOf(db)).metadata
    await delay(restMs)
    expect((await clusterOf(db)).metadata.generation).to.equal(generation)
  })

  it('has verified backups, which come back in one copy of the operator, with as many rows', async () => {
    const began = Date.now()
    archive = await node.backUp(db)
    console.log(`      stored in ${Date.now() - began} ms`)
    const { counts } = await node.client.call('databases.get-archive', { archive })
    expect(counts).to.deep.equal({ tables: 1, rows })
    const stored = Date.now()
    restored = (await node.client.call('databases.restore', { archive })).name
    await node.untilDatabase(restored, imagesMs)
    console.log(`      restored in ${Date.now() - stored} ms`)
    const [at, from] = [await node.reached(restored), await node.reached(db)]
    expect(at.password).not.to.equal(from.password)
    expect(await ask(at, 'SELECT count(*) AS said FROM kept')).to.equal(String(rows))
    expect((await clusterOf(restored)).status?.readyInstances).to.equal(1)
  })

  it('has backups that are proven on trial', async () => {
    const ended = await node.drill(archive)
    expect(ended.outcome, ended.message).to.equal('Proven')
    expect(ended.message).to.include(`1 tables, ${rows} rows`)
  })

  it('answers again after its primary is lost, and has backups from then on', async () => {
    const primary = async () =>
      (await podsOf(db)).find(({ metadata }) => metadata.labels?.['cnpg.io/instanceRole'] === 'primary')?.metadata.name
    const former = (await primary()) ?? ''
    const at = await node.reached(db)
    const since = Date.now()
    const lost = { type: coreTypes.pod, namespace: node.home, name: former }
    await node.cluster.delete(lost, { gracePeriodSeconds: 0 }) // without a farewell
    await eventuallyOnNode('another copy is the primary', async () => ![undefined, former].includes(await primary()))
    const written = () => ask(at, `INSERT INTO kept VALUES (${rows + 1}) RETURNING number AS said`).catch(() => '')
    await eventuallyOnNode('it takes a row', async () => (await written()) === String(rows + 1))
    console.log(`      took a row again after ${Date.now() - since} ms`)
    await eventuallyOnNode('every copy is there', async () => (await running(db)).length === copies)
    await node.untilDatabase(db)
    const { counts } = await node.client.call('databases.get-archive', { archive: await node.backUp(db) })
    expect(counts).to.deep.equal({ tables: 1, rows: rows + 1 })
  })

  it('is ready with another size and version only once every copy runs them', async () => {
    await node.client.call('databases.update', { db, memory: '320Mi', version: laterVersion })
    await node.client.call('databases.deploy', { db })
    let ready: string[] = []
    await eventuallyOnNode(
      'it is ready',
      async () => {
        if ((await state(db)) !== 'ready') return false
        ready = await running(db)
        return true
      },
      imagesMs,
    )
    expect(ready).to.deep.equal(Array.from({ length: copies }, () => `${laterVersion} 320Mi`))
    expect(await ask(await node.reached(db), 'SELECT count(*) AS said FROM kept')).to.equal(String(rows + 1))
  })

  it('leaves nothing when it is deleted', async () => {
    await node.removeDatabases([db, restored])
    const kinds = ['pod', 'persistentVolumeClaim', 'secret', 'service', 'job', 'deployment', 'roleBinding'] as const
    const left = async () => {
      const lists = [...kinds.map((kind) => coreTypes[kind]), postgresCluster].map(async (type) =>
        (await node.cluster.list(type, { namespace: node.home, metadataOnly: true })).items.map(
          ({ metadata }) => `${type.kind} ${metadata.name}`,
        ),
      )
      const names = (await Promise.all(lists)).flat()
      return names.filter((name) => new RegExp(`^\\S+ (${db}|${restored})(-|$)`).test(name))
    }
    await eventually('all is gone', async () => (await left()).length === 0, waitMs).catch(() => undefined)
    expect(await left()).to.deep.equal([])
  })
})
