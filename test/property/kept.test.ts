/** What the tests of refused requests compare: a write of any kind is seen, however little else has changed. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createProject, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { differences, keptNow, removeSince, type Kept } from './kept.ts'

describe('what is kept', () => {
  let client: ClusterClient
  let atFirst: Kept

  before(async () => {
    ;({ client } = await useStack())
    atFirst = await keptNow(client)
  })
  after(() => removeSince(client, atFirst))

  const changed = async (write: () => Promise<unknown>): Promise<string[]> => {
    const before = await keptNow(client)
    await write()
    return differences(before, await keptNow(client))
  }

  it('is the same while nothing is written, and another after each single write', async () => {
    const config = { type: coreTypes.configMap, namespace: systemNamespace, name: 'kept-or-not' }
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: config.name, namespace: systemNamespace } }
    expect(await changed(async () => undefined)).to.deep.equal([])
    expect(await changed(() => client.create(coreTypes.configMap, object))).to.deep.equal([
      'new configmaps/kept-or-not',
    ])
    const patched = await changed(() => client.patch(config, { metadata: { labels: { seen: 'yes' } } }))
    expect(patched).to.deep.equal(['changed configmaps/kept-or-not'])
    expect(await changed(() => client.delete(config))).to.deep.equal(['gone configmaps/kept-or-not'])
    const project = await createProject(await useRecords())
    const label = () =>
      client.patch(
        { type: resourceTypes.project, namespace: systemNamespace, name: project.metadata.name },
        { metadata: { labels: { seen: 'yes' } } },
      )
    await keptNow(client)
    expect(await changed(label)).to.deep.equal([`changed ${resourceTypes.project.plural}/${project.metadata.name}`])
  })
})
