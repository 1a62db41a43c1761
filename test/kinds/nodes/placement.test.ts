/** Region, zone and tags of a node as labels and taints, and the warnings for an admin. */
import { expect } from 'chai'
import { anyNode } from '../../../kinds/placement/node-choice.ts'
import { type TaggedNode, tagsOf, takesTags, unmetTags } from '../../../kinds/placement/node-tags.ts'
import { placed, placementPatch, placementTags } from '../../../kinds/nodes/placement.ts'
import { placementWarnings } from '../../../kinds/nodes/warnings.ts'

const bare = (name = 'n1'): TaggedNode => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  spec: { taints: [{ key: 'other.example.com/gpu', effect: 'NoSchedule' }] },
})
/** A node without a taint of another owner, so that pods can be placed on it at all. */
const open = (): TaggedNode => ({ metadata: { name: 'n1' } })
const place = (tags: string[] = [], reserved: string[] = [], compliance: string[] = [], region = '', zone = '') => ({
  region,
  zone,
  tags: placementTags({ tags, reserved, compliance }),
})
const tagged = (name: string, ...fields: Parameters<typeof place>): TaggedNode => placed(bare(name), place(...fields))

describe('the place of a node', () => {
  it('reserved and compliance imply the tag, and compliance is always reserved', () => {
    expect(tagsOf(tagged('n1', ['fast', 'gdpr'], ['gpu'], ['gdpr']))).to.deep.equal([
      { name: 'fast', reserved: false, compliance: false },
      { name: 'gdpr', reserved: true, compliance: true },
      { name: 'gpu', reserved: true, compliance: false },
    ])
  })

  it('is written beside the labels and taints of others', () => {
    expect(placementPatch(bare(), tagged('n1', ['fast'], [], ['gdpr'], 'eu', 'eu-1'))).to.deep.equal({
      metadata: {
        labels: {
          'topology.kubernetes.io/region': 'eu',
          'topology.kubernetes.io/zone': 'eu-1',
          'svc.dev/tag-fast': 'true',
          'svc.dev/tag-gdpr': 'true',
          'svc.dev/compliance-gdpr': 'true',
        },
      },
      spec: {
        taints: [
          { key: 'other.example.com/gpu', effect: 'NoSchedule' },
          { key: 'svc.dev/reserved-gdpr', value: 'true', effect: 'NoSchedule' },
        ],
      },
    })
  })

  it('replaces all that was there before', () => {
    const before = tagged('n1', ['fast'], [], ['gdpr'], 'eu', 'eu-1')
    const after = placed(before, place(['slow']))
    expect(placementPatch(before, after)).to.deep.equal({
      metadata: {
        labels: {
          'topology.kubernetes.io/region': null,
          'topology.kubernetes.io/zone': null,
          'svc.dev/tag-fast': null,
          'svc.dev/tag-gdpr': null,
          'svc.dev/compliance-gdpr': null,
          'svc.dev/tag-slow': 'true',
        },
      },
      spec: { taints: [{ key: 'other.example.com/gpu', effect: 'NoSchedule' }] },
    })
  })

  it('is not written again when it is so already', () => {
    const before = tagged('n1', ['fast'], ['gpu'], [], 'eu')
    expect(placementPatch(before, placed(before, place(['fast'], ['gpu'], [], 'eu')))).to.equal(undefined)
  })
})

describe('the tags that a pod asks for', () => {
  const table: [string, TaggedNode, string[], boolean][] = [
    ['no tags on a plain node', bare(), [], true],
    ['a tag the node lacks', bare(), ['fast'], false],
    ['a tag the node has', tagged('n1', ['fast', 'big']), ['fast'], true],
    ['none on a node that is reserved', tagged('n1', [], ['gpu']), [], false],
    ['one of two reserved ones', tagged('n1', [], ['gpu', 'gdpr']), ['gpu'], false],
    ['both reserved ones', tagged('n1', [], ['gpu', 'gdpr']), ['gdpr', 'gpu'], true],
  ]
  for (const [what, node, tags, wanted] of table)
    it(`${what}: ${wanted ? 'taken' : 'kept away'}`, () => expect(takesTags(node, tags)).to.equal(wanted))
})

describe('the tags that a project requires', () => {
  const nodes = [tagged('n1', [], [], ['gdpr'], 'eu'), tagged('n2', ['fast'], [], [], 'us')]
  const table: [string, string, string[], string[]][] = [
    ['none', 'eu', [], []],
    ['one that is there and reserved', 'eu', ['gdpr'], []],
    ['anywhere, without a region', '', ['gdpr'], []],
    ['in another region', 'us', ['gdpr'], ['no node in region us carries the tag gdpr']],
    ['nowhere', '', ['hipaa'], ['no node carries the tag hipaa']],
    ['not reserved', 'us', ['fast'], ['the tag fast is not reserved on node n2']],
  ]
  for (const [what, region, requiredTags, sentences] of table)
    it(`${what}: ${sentences.join('; ') || 'met'}`, () =>
      expect(unmetTags({ region, requiredTags }, nodes)).to.deep.equal(sentences))
})

describe('a change of placement warns', () => {
  const shop = { displayName: 'shop', region: 'eu', requiredTags: ['gdpr'] }
  const before = tagged('n1', [], [], ['gdpr'], 'eu')

  it('of a project that loses its only node', () => {
    const warnings = placementWarnings(before, tagged('n1', [], [], [], 'eu'), {
      others: [bare('n2')],
      projects: [shop],
      services: [],
      deployed: [],
    })
    expect(warnings).to.deep.equal([
      'project shop requires tags it no longer has: no node in region eu carries the tag gdpr',
    ])
  })

  it('of a second node that carries the tag without being reserved', () => {
    const warnings = placementWarnings(bare('n2'), tagged('n2', ['gdpr']), {
      others: [before],
      projects: [shop],
      services: [],
      deployed: [],
    })
    expect(warnings).to.deep.equal([
      'project shop requires tags it no longer has: the tag gdpr is not reserved on node n2',
    ])
  })

  it('of services that run where they no longer belong', () => {
    const services = [
      { name: 'web', choice: anyNode },
      { name: 'api', choice: { region: '', tags: ['gpu'] } },
      { name: 'cron', choice: anyNode },
    ]
    const warnings = placementWarnings(open(), placed(open(), place([], ['gpu'])), {
      others: [],
      projects: [],
      services,
      deployed: [],
    })
    expect(warnings).to.deep.equal(['running workloads are not moved; these no longer belong on n1: cron, web'])
  })

  it('of services whose region the node leaves', () => {
    const services = [{ name: 'web', choice: { region: 'eu', tags: [] } }]
    const eu = placed(open(), place([], [], [], 'eu'))
    const warnings = placementWarnings(eu, placed(eu, place([], [], [], 'us')), {
      others: [],
      projects: [],
      services,
      deployed: [],
    })
    expect(warnings).to.deep.equal(['running workloads are not moved; these no longer belong on n1: web'])
  })

  it('of services that no node is left for, wherever their copies are', () => {
    const choice = { region: '', tags: ['ssd'] }
    const deployed = [
      { name: 'web', choice },
      { name: 'cron', choice: anyNode },
      { name: 'lost', choice: { region: 'us', tags: [] } },
    ]
    const ssd = placed(open(), place(['ssd']))
    const around = { projects: [], services: [], deployed }
    expect(placementWarnings(ssd, open(), { ...around, others: [bare('n2')] })).to.deep.equal([
      'no node is left for new copies of: web',
    ])
    expect(placementWarnings(ssd, open(), { ...around, others: [placed(open(), place(['ssd']))] })).to.deep.equal([])
  })

  it('not of what was so before', () => {
    const lacking = { displayName: 'bank', region: 'eu', requiredTags: ['pci'] }
    expect(
      placementWarnings(before, before, {
        others: [],
        projects: [lacking],
        services: [{ name: 'web', choice: anyNode }],
        deployed: [{ name: 'web', choice: anyNode }],
      }),
    ).to.deep.equal([])
  })
})
