/** The nodes that a pod of a project may be placed on, and the text that describes the choice. */
import { expect } from 'chai'
import {
  admits,
  choiceKey,
  named,
  type NodeChoice,
  nodeSelectorOf,
  openNodes,
  choiceText,
  withTags,
} from '../../../kinds/placement/node-choice.ts'
import { reservedTaint, type TaggedNode, tagSelector } from '../../../kinds/placement/node-tags.ts'

const node = (
  name: string,
  region = '',
  tags: string[] = [],
  reserved: string[] = [],
  foreign: string[] = [],
): TaggedNode => ({
  metadata: {
    name,
    labels: {
      ...(region === '' ? {} : { 'topology.kubernetes.io/region': region }),
      ...tagSelector([...tags, ...reserved]),
    },
  },
  spec: { taints: [...reserved.map(reservedTaint), ...foreign.map((effect) => ({ key: 'example.com/own', effect }))] },
})
const choice = (region = '', ...tags: string[]): NodeChoice => ({ region, tags })

describe('the nodes that a project asks for', () => {
  const table: [string, NodeChoice, TaggedNode, boolean][] = [
    ['nothing of a plain node', choice(), node('a'), true],
    ['its region', choice('eu'), node('a', 'eu'), true],
    ['another region', choice('eu'), node('a', 'us'), false],
    ['a region of a node that names none', choice('eu'), node('a'), false],
    ['a tag that it reserves', choice('', 'gdpr'), node('a', '', [], ['gdpr']), true],
    ['nothing of a node that is reserved', choice(), node('a', '', [], ['gdpr']), false],
    ['nothing of a node with a taint of another owner', choice(), node('a', '', [], [], ['NoSchedule']), false],
    ['nothing of a node whose taint only prefers others', choice(), node('a', '', [], [], ['PreferNoSchedule']), true],
    ['region and tag', choice('eu', 'gdpr'), node('a', 'eu', [], ['gdpr']), true],
  ]
  for (const [what, asked, found, wanted] of table)
    it(`${what}: ${wanted ? 'taken' : 'kept away'}`, () => expect(admits(asked, found)).to.equal(wanted))

  it('become a selector, a key that is the same for the same choice, and words', () => {
    const both = withTags(choice('eu', 'ssd'), ['gdpr', 'ssd'])
    expect(both).to.deep.equal(choice('eu', 'gdpr', 'ssd'))
    expect(nodeSelectorOf(both)).to.deep.equal({
      'topology.kubernetes.io/region': 'eu',
      'svc.dev/tag-gdpr': 'true',
      'svc.dev/tag-ssd': 'true',
    })
    expect([
      choiceKey(choice('eu', 'ssd', 'gdpr')),
      choiceKey(both),
      choiceKey(choice()),
      choiceKey(choice('', 'a')),
    ]).to.deep.equal(['eu/gdpr,ssd', 'eu/gdpr,ssd', '', '/a'])
    expect([
      choiceText(choice()),
      choiceText(choice('eu')),
      choiceText(choice('', 'a')),
      choiceText(both),
    ]).to.deep.equal(['', ' in region eu', ' with the tag a', ' in region eu with the tags gdpr, ssd'])
  })

  it('are open where a required tag does not keep others out', () => {
    const nodes = [
      node('b', 'eu', ['gdpr']),
      node('a', 'eu', ['gdpr']),
      node('kept', 'eu', [], ['gdpr']),
      node('far', 'us', ['gdpr']),
      node('plain', 'eu'),
    ]
    expect(openNodes(choice('eu', 'gdpr'), nodes)).to.deep.equal(['a', 'b'])
    expect(openNodes(choice('', 'gdpr'), nodes)).to.deep.equal(['a', 'b', 'far'])
    expect(openNodes(choice('eu'), nodes)).to.deep.equal([])
  })

  it('are named a few at a time', () =>
    expect([named(['a', 'b', 'c']), named(['a', 'b', 'c', 'd'])]).to.deep.equal(['a, b, c', 'a, b, c and more']))
})
