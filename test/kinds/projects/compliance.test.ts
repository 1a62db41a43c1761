/** The tags that a project may require, and which of its databases comply with them. */
import { expect } from 'chai'
import { reservedTaint, type TaggedNode, tagSelector } from '../../../kinds/placement/node-tags.ts'
import { complianceOf, type PlacedDatabase, refusalOfTags } from '../../../kinds/projects/compliance.ts'
import { type ProjectSpec, projectSpec } from '../../../kinds/projects/kind.ts'

const node = (name: string, region: string, tags: string[], reserved = tags): TaggedNode => ({
  metadata: { name, labels: { 'topology.kubernetes.io/region': region, ...tagSelector(tags) } },
  spec: { taints: reserved.map(reservedTaint) },
})
const database = (name: string, ...tags: string[]): PlacedDatabase => ({
  metadata: { name },
  spec: { runOn: { tags } },
})
const nodes = [
  node('n1', 'eu', ['gdpr', 'ssd']),
  node('n2', 'us', ['hipaa']),
  node('n3', 'eu', ['mixed']),
  node('n4', 'eu', ['mixed'], []),
]

describe('the tags that a project requires', () => {
  const table: [string, string[], string, PlacedDatabase[], string | undefined][] = [
    ['none at all', [], 'eu', [database('db')], undefined],
    ['those that its region has', ['gdpr', 'ssd'], 'eu', [], undefined],
    ['one of another region', ['hipaa'], 'eu', [], 'no node in region eu carries the tag hipaa'],
    ['one of any region, without a region', ['hipaa'], '', [], undefined],
    ['one that no node has', ['gdpr', 'iso'], '', [], 'no node carries the tag iso'],
    ['one that is not reserved everywhere', ['mixed'], 'eu', [], 'the tag mixed is not reserved on node n4'],
    ['one its databases are on', ['gdpr'], 'eu', [database('db', 'gdpr', 'ssd')], undefined],
    [
      'one a database is not on',
      ['gdpr', 'ssd'],
      'eu',
      [database('db', 'ssd'), database('ok', 'gdpr', 'ssd')],
      'databases are not on nodes with the required tags: db (gdpr)',
    ],
    [
      'some that several databases are not on',
      ['gdpr', 'ssd'],
      'eu',
      [database('a'), database('b', 'ssd')],
      'databases are not on nodes with the required tags: a (gdpr, ssd), b (gdpr)',
    ],
  ]
  for (const [what, tags, region, databases, refusal] of table)
    it(`${what}: ${refusal ?? 'taken'}`, () => expect(refusalOfTags(tags, region, nodes, databases)).to.equal(refusal))

  it('are read with what misses them', () => {
    const spec: ProjectSpec = projectSpec.parse({
      environments: ['production'],
      region: 'eu',
      requiredTags: ['gdpr', 'mixed'],
    })
    expect(complianceOf({ spec }, [database('shop', 'gdpr'), database('bank', 'gdpr', 'mixed')], nodes)).to.deep.equal({
      requiredTags: ['gdpr', 'mixed'],
      region: 'eu',
      databases: [
        { name: 'bank', compliant: true, missing: [] },
        { name: 'shop', compliant: false, missing: ['mixed'] },
      ],
      openNodes: ['n4'],
    })
  })
})
