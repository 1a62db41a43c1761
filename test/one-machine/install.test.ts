/** What svc installs into a cluster. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { buildsNamespace } from '../../kinds/builds/names.ts'
import { installInto, listMissing, readDefinitions, systemNamespace } from '../../one-machine/install.ts'

/** Records what is applied; `stuck` is not established until the test changes it. */
function createCluster(stuck?: string) {
  const applied = new Set<string>()
  const woken = new Set<string>()
  const conditions = (name: string) => [
    { type: 'NamesAccepted', status: 'True' },
    { type: 'Established', status: name === stuck && !woken.has(name) ? 'False' : 'True' },
  ]
  const client = {
    get: async ({ name }: { name: string }) =>
      applied.has(name) || name === stuck
        ? { metadata: { name }, status: { conditions: conditions(name) } }
        : undefined,
    apply: async (_type: unknown, object: { metadata: { name: string } }) => void applied.add(object.metadata.name),
    patch: async ({ name }: { name: string }) => void woken.add(name),
  } as unknown as ClusterClient // only the calls that an install makes
  return { client, applied, woken }
}

const names = (): string[] => readDefinitions().map(({ metadata: { name } }) => name)

describe('installing into a cluster', () => {
  it('brings the resource definitions and the two namespaces, and nothing else', async () => {
    const { client, applied } = createCluster()
    expect(await listMissing(client)).to.have.members([systemNamespace, buildsNamespace, ...names()])
    await installInto(client)
    expect([...applied]).to.have.members([systemNamespace, buildsNamespace, ...names()])
    expect(await listMissing(client)).to.deep.equal([])
  })

  it('wakes a definition that a killed api server left half established', async () => {
    const [stuck = ''] = names()
    const { client, woken } = createCluster(stuck)
    await installInto(client)
    expect([...woken]).to.deep.equal([stuck])
  })
})
