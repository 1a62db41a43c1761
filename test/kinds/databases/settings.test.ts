/** The permitted changes of a database's settings, as a table. */
import { expect } from 'chai'
import { databaseSpec, type DatabaseSpec } from '../../../kinds/databases/kind.ts'
import { type DatabaseSettings, withDatabaseSettings, withRequiredTags } from '../../../kinds/databases/settings.ts'
import { databaseCapacity, storageSizeOf } from '../../../kinds/databases/sizes.ts'

const place = { project: 'proj-0a1b2c3d', environment: 'production' }
const spec = (change: object = {}): DatabaseSpec => databaseSpec.parse({ ...place, ...change })
const draft = { running: undefined, expandable: false }
const running = (change: object = {}, expandable = true) => ({ running: spec(change), expandable })

describe('settings of a database', () => {
  const taken: [
    string,
    DatabaseSpec,
    DatabaseSettings,
    { running: DatabaseSpec | undefined; expandable: boolean },
    object,
  ][] = [
    ['nothing', spec(), {}, draft, {}],
    ['a version', spec(), { version: '17' }, draft, { version: '17' }],
    ['any size of a draft', spec(), { storageSize: '1Gi' }, draft, { storageSize: '1Gi' }],
    ['a larger size where volumes grow', spec(), { storageSize: '10.5Gi' }, running(), { storageSize: '10.5Gi' }],
    [
      'the same size in other words',
      spec(),
      { storageSize: '10240Mi' },
      running({}, false),
      { storageSize: '10240Mi' },
    ],
    [
      'a smaller size than the one that waits, of a running one',
      spec({ storageSize: '40Gi' }),
      { storageSize: '20Gi' },
      running(),
      { storageSize: '20Gi' },
    ],
    [
      'a larger external one, whatever volumes of the cluster do',
      spec({ placement: 'External' }),
      { storageSize: '20Gi' },
      running({ placement: 'External' }, false),
      { storageSize: '20Gi' },
    ],
    ['cpu alone', spec(), { cpu: '1' }, draft, { resources: { requests: { cpu: '1' } } }],
    [
      'memory beside the cpu it has',
      spec({ resources: { requests: { cpu: '1' } } }),
      { memory: '1Gi' },
      draft,
      { resources: { requests: { cpu: '1', memory: '1Gi' } } },
    ],
    [
      'backups',
      spec(),
      { backups: true, backupRetentionDays: 30 },
      draft,
      { backups: { enabled: true, retentionDays: 30 } },
    ],
    [
      'backups off, keeping how long',
      spec({ backups: { enabled: true, retentionDays: 3 } }),
      { backups: false },
      draft,
      { backups: { enabled: false, retentionDays: 3 } },
    ],
    ['three copies', spec(), { clusterSize: 3 }, draft, { instances: 3, highAvailability: true }],
    [
      'one copy again',
      spec({ instances: 3, highAvailability: true }),
      { clusterSize: 1 },
      draft,
      { instances: 1, highAvailability: false },
    ],
    ['one copy of a redis', spec({ engine: 'redis' }), { clusterSize: 1 }, draft, { instances: 1 }],
    ['tags, each once', spec(), { runOnTags: ['ssd', 'eu', 'ssd'] }, draft, { runOn: { tags: ['ssd', 'eu'] } }],
    ['texts left blank', spec({ version: '16' }), { version: '', storageSize: '', cpu: '', memory: '' }, draft, {}],
    ['no tags any more', spec({ runOn: { tags: ['ssd'] } }), { runOnTags: [] }, draft, { runOn: { tags: [] } }],
  ]
  for (const [title, before, settings, volumes, after] of taken) {
    it(`takes ${title}`, () =>
      expect(withDatabaseSettings(before, settings, volumes)).to.deep.equal({ ...before, ...after }))
  }

  const refused: [
    string,
    DatabaseSpec,
    DatabaseSettings,
    { running: DatabaseSpec | undefined; expandable: boolean },
    string,
  ][] = [
    ['a smaller volume', spec(), { storageSize: '9Gi' }, running(), 'storageSize cannot shrink; the database has 10Gi'],
    [
      'a smaller sqlite',
      spec({ engine: 'sqlite' }),
      { storageSize: '512Mi' },
      running({ engine: 'sqlite' }),
      'storageSize cannot shrink; the database has 1Gi',
    ],
    [
      'a larger one where volumes stay',
      spec(),
      { storageSize: '11Gi' },
      running({}, false),
      'this cluster cannot enlarge volumes; the database keeps its 10Gi',
    ],
    [
      'copies of a mysql',
      spec({ engine: 'mysql' }),
      { clusterSize: 3 },
      draft,
      'high availability needs the engine postgres',
    ],
    [
      'copies elsewhere',
      spec({ placement: 'External' }),
      { clusterSize: 3 },
      draft,
      'clusterSize applies to databases on this cluster only',
    ],
    [
      'tags elsewhere',
      spec({ placement: 'External' }),
      { runOnTags: ['ssd'] },
      draft,
      'runOnTags applies to databases on this cluster only',
    ],
  ]
  for (const [title, before, settings, volumes, sentence] of refused) {
    it(`refuses ${title}: ${sentence}`, () =>
      expect(() => withDatabaseSettings(before, settings, volumes)).to.throw(sentence))
  }
})

describe('the node tags that a project requires', () => {
  const tags = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`)
  it('are beside those of the database, each once', () => {
    const before = spec({ runOn: { tags: ['ssd', 'eu'] } })
    expect(withRequiredTags(before, ['eu', 'hipaa']).runOn.tags).to.deep.equal(['eu', 'hipaa', 'ssd'])
    expect(withRequiredTags(before, [])).to.equal(before)
  })
  it('cannot be had outside of the cluster, nor beyond what a database takes', () => {
    expect(() => withRequiredTags(spec({ placement: 'External' }), ['eu'])).to.throw(
      'the project requires node tags, which an external database cannot have',
    )
    expect(() => withRequiredTags(spec({ runOn: { tags: tags(8) } }), ['eu'])).to.throw(
      'together must be at most 8 tags',
    )
    expect(withRequiredTags(spec({ runOn: { tags: tags(8) } }), ['t0']).runOn.tags).to.deep.equal(tags(8))
  })
})

describe('the size of a database', () => {
  const Gi = 2 ** 30
  const rows: [string, object, string, number, number, number][] = [
    ['postgres', {}, '10Gi', 1, 250, Gi / 2],
    ['sqlite', { engine: 'sqlite' }, '1Gi', 1, 100, Gi / 8],
    ['three copies', { instances: 3, highAvailability: true }, '10Gi', 3, 250, Gi / 2],
    ['its own', { storageSize: '5Gi', resources: { requests: { cpu: '2', memory: '1Gi' } } }, '5Gi', 1, 2000, Gi],
    ['an external one', { placement: 'External' }, '10Gi', 0, 250, Gi / 2],
  ]
  for (const [title, change, storage, copies, cpuMillis, memoryBytes] of rows) {
    it(title, () => {
      expect(storageSizeOf(spec(change))).to.equal(storage)
      expect(databaseCapacity(spec(change))).to.deep.include({
        project: place.project,
        tags: [],
        copies,
        perCopy: { cpuMillis, memoryBytes },
      })
    })
  }
})
