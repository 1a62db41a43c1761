/** What a project's other region or tags mean for its services that run, as sentences. */
import { expect } from 'chai'
import type { NodeChoice } from '../../../kinds/placement/node-choice.ts'
import { regionLabel, reservedTaint, type TaggedNode, tagSelector } from '../../../kinds/placement/node-tags.ts'
import { moveWarnings } from '../../../kinds/projects/placement-warnings.ts'

const node = (name: string, region: string, ...tags: string[]): TaggedNode => ({
  metadata: { name, labels: { [regionLabel]: region, ...tagSelector(tags) } },
  spec: { taints: tags.map(reservedTaint) },
})
const nodes = [node('n1', 'eu'), node('n2', 'eu', 'pci'), node('n3', 'us')]
const [web, fast] = [
  { name: 'web', tags: [] },
  { name: 'fast', tags: ['gpu'] },
]
const rolled = 'new copies of these services start on nodes that fit, and replace those that run'
const homeless = 'no node fits these services; their copies stay where they are until one does'
const eu: NodeChoice = { region: 'eu', tags: [] }

describe('another placement of a project', () => {
  const table: [string, NodeChoice, NodeChoice, string[]][] = [
    ['that is the same', eu, { ...eu }, []],
    ['with tags in another order', { region: '', tags: ['a', 'b'] }, { region: '', tags: ['b', 'a'] }, []],
    ['in another region', eu, { region: 'us', tags: [] }, [`${rolled}: web`, `${homeless}: fast`]],
    ['with a tag', eu, { region: 'eu', tags: ['pci'] }, [`${rolled}: web`, `${homeless}: fast`]],
    ['with a tag that a service has by itself', eu, { region: 'eu', tags: ['gpu'] }, [`${homeless}: web`]],
    ['that no node has', eu, { region: 'mars', tags: [] }, [`${homeless}: fast, web`]],
  ]
  for (const [what, before, after, warnings] of table)
    it(`${what}: ${warnings.join('; ') || 'nothing moves'}`, () =>
      expect(moveWarnings(before, after, { nodes, services: [web, fast] })).to.deep.equal(warnings))

  it('names the first twenty of many', () => {
    const services = Array.from({ length: 25 }, (_, at) => ({ name: `s${String(at).padStart(2, '0')}`, tags: [] }))
    const [warning = ''] = moveWarnings(eu, { region: 'us', tags: [] }, { nodes, services })
    expect(warning).to.contain('s19 and more').and.not.contain('s20')
  })
})
