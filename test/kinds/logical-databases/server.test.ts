/** The servers on which a logical database may be, as a table of the reasons against one. */
import { expect } from 'chai'
import { logicalDatabaseSpec } from '../../../kinds/logical-databases/kind.ts'
import { hindranceAt, type Server } from '../../../kinds/logical-databases/server.ts'

const place = { project: 'proj-0a1b2c3d', environment: 'production' }
const spec = (change: object = {}) =>
  logicalDatabaseSpec.parse({ ...place, serverRef: 'calm-otter', databaseName: 'shop', ...change })
const own: Server = {
  name: 'calm-otter',
  ...place,
  engine: 'postgres',
  deleting: false,
  ready: true,
  connectionSecret: 'calm-otter-connection',
  region: '',
  tags: [],
}
const shared: Server = {
  ...own,
  name: 'shared-postgres',
  project: '',
  environment: '',
  region: 'eu',
  tags: ['hipaa', 'ssd'],
}
const anywhere = { region: '', requiredTags: [] }

describe('the server of a logical database', () => {
  const rows: [string, Server | undefined, object, { region: string; requiredTags: string[] }, string, string][] = [
    ['own and ready', own, {}, anywhere, '', ''],
    ['own, whatever the project demands', own, {}, { region: 'us', requiredTags: ['pci'] }, '', ''],
    ['shared and ready', shared, {}, anywhere, '', ''],
    ['shared, where and as the project demands', shared, {}, { region: 'eu', requiredTags: ['hipaa'] }, '', ''],
    ['absent', undefined, {}, anywhere, 'waiting', 'server calm-otter does not exist'],
    ['being deleted', { ...own, deleting: true }, {}, anywhere, 'waiting', 'server calm-otter is being deleted'],
    [
      'of another project',
      { ...own, project: 'proj-99999999' },
      {},
      anywhere,
      'waiting',
      'server calm-otter belongs to another project or environment',
    ],
    [
      'of another environment',
      { ...own, environment: 'staging' },
      {},
      anywhere,
      'waiting',
      'server calm-otter belongs to another project or environment',
    ],
    [
      'of the cluster under a name of its own',
      { ...shared, name: 'other' },
      {},
      anywhere,
      'waiting',
      'server other belongs to another project or environment',
    ],
    [
      'of the project under the shared name',
      { ...own, name: 'shared-mysql' },
      {},
      anywhere,
      'waiting',
      'server shared-mysql belongs to another project or environment',
    ],
    [
      'of another engine',
      { ...own, engine: 'redis' },
      {},
      anywhere,
      'waiting',
      'server calm-otter is no postgres or mysql database',
    ],
    ['not ready', { ...own, ready: false }, {}, anywhere, 'waiting', 'server calm-otter is not ready'],
    [
      'without a connection',
      { ...own, connectionSecret: '' },
      {},
      anywhere,
      'waiting',
      'server calm-otter has no connection secret',
    ],
    [
      'asked for a bad name',
      own,
      { databaseName: 'my-shop' },
      anywhere,
      'failing',
      'databaseName must use letters, digits, and underscores, and not start with a digit',
    ],
    [
      'in another region',
      shared,
      {},
      { region: 'us', requiredTags: [] },
      'waiting',
      'server shared-postgres is in region eu and the project in region us',
    ],
    [
      'in no region',
      { ...shared, region: '' },
      {},
      { region: 'us', requiredTags: [] },
      'waiting',
      'server shared-postgres is in no region and the project in region us',
    ],
    [
      'without required tags',
      shared,
      {},
      { region: '', requiredTags: ['hipaa', 'pci', 'fips'] },
      'failing',
      'server shared-postgres is not on nodes with the required tags of the project: pci, fips',
    ],
  ]
  for (const [title, server, change, demands, outcome, message] of rows) {
    it(`${title}: ${message === '' ? 'nothing stands in the way' : message}`, () => {
      expect(hindranceAt(spec({ serverRef: server?.name ?? 'calm-otter', ...change }), server, demands)).to.deep.equal(
        message === '' ? undefined : { outcome, message },
      )
    })
  }
})
