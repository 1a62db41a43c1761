/**
 * Backups on a real node, by `npm start` and the API: each engine is backed up into a bucket on the object server, its
 * data is changed, and the backup is restored into another database that services can use. Takes minutes, so it runs
 * when its folder is named. Where no registry is reachable `mysql` is MariaDB as a stand-in.
 */
import { expect } from 'chai'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { eventually } from '../../cluster/eventually.ts'
import { type Engine, engines, type Reached } from '../engine-words.ts'
import { startWithinMs } from '../started.ts'
import { type BackupNode, imagesMs, waitMs, startBackupNode } from './backup-node.ts'

const can = canHaveNode()

;(can.ok ? describe : describe.skip)('backups on a real node', function () {
  this.timeout(imagesMs + startWithinMs)
  const names: Record<Engine, string> = {
    redis: 'kept-redis',
    sqlite: 'kept-sqlite',
    postgres: 'kept-postgres',
    mysql: 'kept-mysql',
  }
  let node: BackupNode

  before(async () => {
    node = await startBackupNode()
  })
  after(() => node?.stop())

  const taken = async (engine: Engine, at: Reached): Promise<string> => {
    let word = ''
    const take = async () => (word = await engines[engine].take(at).catch(() => '')) !== ''
    await eventually('the word is there', take, waitMs)
    return word
  }

  for (const engine of Object.keys(names) as Engine[])
    it(`of ${engine} are verified, and restored into another database with a login of its own`, async () => {
      const { client, project, untilDatabase, reached } = node
      const db = names[engine]
      const place = { project, environment: 'production' } as const
      await client.call('databases.create', { ...place, engine, name: db, cpu: '100m', memory: '300Mi', deploy: true })
      await untilDatabase(db, imagesMs)
      const at = await reached(db)
      await engines[engine].put(at)
      const began = Date.now()
      const archive = await node.backUp(db)
      const stored = Date.now()
      const { items } = await client.call('databases.archives', { project, database: db })
      expect(items.map(({ name }) => name)).to.deep.equal([archive])
      const { name } = await client.call('databases.restore', { archive })
      await untilDatabase(name)
      console.log(`      ${engine}: stored in ${stored - began} ms, restored in ${Date.now() - stored} ms`)
      const other = await reached(name)
      expect(other.password).not.to.equal(at.password)
      expect(await taken(engine, other)).to.equal('otter')
      await node.removeDatabases([db, name])
    })

  it('leave neither Jobs nor keys in the environment', async () => {
    const left = await Promise.all(
      [coreTypes.job, coreTypes.secret].map(async (type) =>
        (await node.cluster.list(type, { namespace: node.home, metadataOnly: true })).items.map(
          ({ metadata }) => metadata.name,
        ),
      ),
    )
    expect(left.flat().filter((name) => /-(backup|restore)$/.test(name))).to.deep.equal([])
  })
})
