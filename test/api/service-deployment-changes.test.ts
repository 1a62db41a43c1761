/** What differs between two deployments of a service, over HTTP. */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { useServices } from './services-world.ts'

describe('Deployments of a service', () => {
  const { world, post, get, patch, create, deployed } = useServices()
  const items = async (name: string) => (await get(`/apps/${name}/deployments`)).body.items

  it('GET /api/apps/{app}/deployments/{id}/changes compares any two deployments, and says what a rollback brings back', async () => {
    const name = await create({ deploy: true, replicas: 2 })
    const changed = { image: 'svc/hello:2', replicas: 3, port: 9000, deploy: true }
    expect((await patch(name, changed)).status).to.equal(200)
    await post(`/apps/${name}/config/set`, { key: 'LEVEL', value: 'debug' })
    const [newest, oldest] = (await items(name)).map(({ id }: { id: string }) => id)
    const compare = async (id: string, query = '') =>
      (await get(`/apps/${name}/deployments/${id}/changes${query}`)).body
    const goesBack = true
    expect(await compare(oldest)).to.deep.equal({
      id: oldest,
      from: '',
      changes: [
        { field: 'port', before: 9000, after: 8080, goesBack: false },
        { field: 'replicas', before: 3, after: 2, goesBack },
        { field: 'source.image.image', before: 'svc/hello:2', after: 'svc/hello:1', goesBack },
      ],
    })
    // What is saved and not deployed is no part of what runs.
    expect((await compare(newest)).changes).to.deep.equal([])
    expect(
      (await compare(newest, `?from=${oldest}`)).changes.map(({ field }: { field: string }) => field),
    ).to.deep.equal(['port', 'replicas', 'source.image.image'])
    // A live setting runs without a deploy.
    await post(`/apps/${name}/scale`, { replicas: 5 })
    expect((await compare(newest)).changes).to.deep.equal([{ field: 'replicas', before: 5, after: 3, goesBack }])
    const other = await deployed()
    const [{ id: foreign }] = await items(other)
    for (const query of [
      `/apps/${name}/deployments/${foreign}/changes`,
      `/apps/${name}/deployments/${newest}/changes?from=none`,
    ])
      expect((await get(query)).body.error, query).to.equal('deployment not found')
    const observer = await world.api.token({ name: 'compares', role: 'observer' })
    expect((await get(`/apps/${name}/deployments/${oldest}/changes`, observer)).status).to.equal(403)
  })

  it('GET /api/apps/{app}/deployments/{id}/changes says why what kubectl made unreadable is not known', async () => {
    const name = await deployed()
    const [{ id }] = await items(name)
    const { client } = await useStack()
    const metadata = { annotations: { [annotations.releaseSpec]: '5' } }
    await client.patch({ type: resourceTypes.deployment, namespace: systemNamespace, name: id }, { metadata })
    await eventually('the reason', async () => {
      const { body } = await get(`/apps/${name}/deployments/${id}/changes`)
      return (
        body.error ===
        `what deployment ${id} deployed is not known: the annotation svc.dev/release-spec cannot be read: ` +
          'Invalid input: expected object, received number'
      )
    })
  })
})
