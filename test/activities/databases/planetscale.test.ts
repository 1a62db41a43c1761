/** The removal at PlanetScale of a database whose creation comes about after the deletion; no cluster is started. */
import { expect } from 'chai'
import { removeAtPlanetScale } from '../../../activities/databases/planetscale.ts'
import type { ClusterClient } from '../../../cluster/client.ts'
import { silentLog } from '../../../cluster/objects/log.ts'
import { dataOf } from '../../../cluster/objects/secret-data.ts'
import { type Database, databaseSpec } from '../../../kinds/databases/kind.ts'
import { nameAtPlanetScale } from '../../../kinds/databases/names.ts'
import { labels } from '../../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { createAws } from '../../../outside/aws/account.ts'
import { createPlanetScale } from '../../../outside/planetscale/planetscale.ts'
import { planetScaleKeys, type PlanetScaleServer, startPlanetScale } from '../../harness/planetscale.ts'

const project = 'proj-0a0a0a0a'
const deletionTimestamp = '2026-01-01T00:00:00Z'

const database: Database = {
  apiVersion,
  kind: resourceTypes.database.kind,
  metadata: { name: 'late', namespace: systemNamespace, uid: '0123456789', deletionTimestamp },
  spec: databaseSpec.parse({
    project,
    environment: 'production',
    engine: 'mysql',
    placement: 'External',
    provider: 'PlanetScale',
    connectionRef: { name: 'planet' },
  }),
  status: { targetNamespace: `${project}-production` },
}
const connection = {
  metadata: { name: 'planet' },
  spec: {
    provider: 'PlanetScale',
    project,
    secretRef: { name: 'planet-keys' },
    organization: planetScaleKeys.organization,
  },
}
const keys = { metadata: { name: 'planet-keys', labels: { [labels.project]: project } }, data: dataOf(planetScaleKeys) }

/** Has the connection and its keys, and nothing else. */
const client = {
  get: async ({ type }: { type: { kind: string } }) =>
    type.kind === resourceTypes.cloudConnection.kind ? connection : keys,
} as unknown as ClusterClient

describe('a database at PlanetScale that comes about late', () => {
  let planetScale: PlanetScaleServer
  before(async () => {
    planetScale = await startPlanetScale()
  })
  after(() => planetScale.stop())

  it('is removed, too: the removal is not done until no creation can come about any more', async () => {
    let now = Date.parse(deletionTimestamp)
    const clouds = {
      aws: createAws({ endpoint: planetScale.endpoint, callMs: 1_000, attempts: 1 }),
      planetScale: createPlanetScale({ endpoint: planetScale.endpoint, callMs: 10_000 }),
    }
    const remove = removeAtPlanetScale({
      client,
      clouds,
      cloudSettleMs: 20_000,
      log: silentLog,
      now: () => new Date(now),
    })
    const message = async () => (await remove(database))?.message
    expect(await message()).to.equal('waiting for what was asked of PlanetScale before the deletion to come about')
    // The call of a worker that was cut off arrives.
    await clouds.planetScale(planetScaleKeys).ask('POST', '/databases', { name: nameAtPlanetScale(database) })
    now += 20_000
    expect(await message()).to.equal('PlanetScale is removing the database')
    expect(planetScale.databases.size).to.equal(0)
    expect(await message()).to.equal(undefined)
  })
})
