/**
 * Point in time on a real node: the WAL of a postgres is stored beside its backups without a restart of it, and a
 * moment between two backups comes back in another database. Takes minutes, so it runs when its folder is named.
 */
import { expect } from 'chai'
import { setTimeout as delay } from 'node:timers/promises'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { eventually } from '../../cluster/eventually.ts'
import { type Reached, withPostgres } from '../engine-words.ts'
import { startWithinMs } from '../started.ts'
import { type BackupNode, imagesMs, waitMs, startBackupNode } from './backup-node.ts'

const can = canHaveNode()
const db = 'kept-second'

;(can.ok ? describe : describe.skip)('a moment between two backups', function () {
  this.timeout(imagesMs + startWithinMs)
  let node: BackupNode
  let archive = ''
  let moment = ''
  let restored = ''

  before(async () => {
    node = await startBackupNode()
    const place = { project: node.project, environment: 'production' } as const
    const settings = { engine: 'postgres', name: db, cpu: '100m', memory: '300Mi', backups: true } as const
    await node.client.call('databases.create', { ...place, ...settings, deploy: true })
    await node.untilDatabase(db, imagesMs)
  })
  after(() => node?.stop())

  const ask = async (at: Reached, text: string): Promise<string> =>
    withPostgres(at, async (server) => (await server.query<{ said: string }>(text)).rows[0]?.said ?? '')
  const now = `SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS said`
  const last = async () => (await node.client.call('databases.get-archive', { archive })).lastRestorePoint ?? ''

  it('is stored, and shown as the last restore point of the first backup, while the server runs on', async () => {
    const at = await node.reached(db)
    const started = await ask(at, 'SELECT pg_postmaster_start_time()::text AS said')
    await ask(at, "CREATE TABLE kept AS SELECT 'early' AS word")
    archive = await node.backUp(db)
    await ask(at, "INSERT INTO kept VALUES ('counted')")
    await delay(2000)
    moment = await ask(at, now)
    await delay(2000)
    await ask(at, "INSERT INTO kept VALUES ('late')")
    const late = await ask(at, now)
    // The next backup notes how far the one before it came.
    await delay(75_000)
    await node.backUp(db)
    await eventually('the window is open', async () => (await last()) > late, imagesMs)
    expect(await ask(at, 'SELECT pg_postmaster_start_time()::text AS said')).to.equal(started)
  })

  it('comes back in another database with a login of its own, without what was committed two seconds later', async () => {
    const began = Date.now()
    const { name } = await node.client.call('databases.restore', { archive, restorePoint: moment })
    restored = name
    await node.untilDatabase(name)
    console.log(`      restored to a moment in ${Date.now() - began} ms`)
    const [at, from] = [await node.reached(name), await node.reached(db)]
    expect(at.password).not.to.equal(from.password)
    expect(at.username).not.to.equal(from.username)
    expect(await ask(at, "SELECT string_agg(word, ' ' ORDER BY word) AS said FROM kept")).to.equal('counted early')
    await ask(at, "INSERT INTO kept VALUES ('on')")
  })

  it('is proven on trial, with all WAL that is stored', async () => {
    const reached = await last()
    const ended = await node.drill(archive)
    expect(ended.outcome, ended.message).to.equal('Proven')
    expect((ended.replayedTo ?? '') >= reached, `${ended.replayedTo} is before ${reached}`).to.equal(true)
    expect(ended.message).to.match(/^1 tables, 1 rows; replayed up to .*: 1 tables, 3 rows$/)
  })

  it('is refused outside of what is stored', async () => {
    const beyond = new Date(Date.parse(await last()) + 3_600_000).toISOString()
    for (const restorePoint of ['2026-01-01T00:00:00Z', beyond])
      expect(
        await node.client.call('databases.restore', { archive, restorePoint }).catch((error: Error) => error.message),
      ).to.match(/restorePoint must lie between/)
  })

  it('needs nothing in the environment once backups are off', async () => {
    const shippers = async () =>
      (await node.cluster.list(coreTypes.deployment, { namespace: node.home, metadataOnly: true })).items.map(
        ({ metadata }) => metadata.name,
      )
    expect((await shippers()).some((name) => name.endsWith('-wal'))).to.equal(true)
    await node.client.call('databases.update', { db, backups: false })
    await eventually('the shippers are gone', async () => (await shippers()).length === 0, waitMs)
    await node.removeDatabases([db, restored])
  })
})
