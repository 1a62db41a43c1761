/** Images are removed from a real registry by their digest: open, and behind each kind of login. */
import { expect } from 'chai'
import { createImageRemover } from '../../../outside/registry/remove-image.ts'
import { type LoginKind, registryLogin, startRegistry, type TestRegistry } from '../../harness/registry.ts'

const repository = 'svc/builds'
const type = 'application/vnd.oci.image.manifest.v1+json'

describe('the removal of an image', function () {
  this.timeout(60_000)
  const registries: TestRegistry[] = []
  after(async () => {
    for (const registry of registries) await registry.stop()
  })
  const begin = async (kind: LoginKind) => {
    const registry = await startRegistry(kind)
    registries.push(registry)
    const digest = await registry.push(repository, 'web-1', kind)
    const remover = createImageRemover({ plain: [registry.address] })
    return { registry, digest, remover, image: { registry: registry.address, repository, digest } }
  }

  it('takes it with its tags and leaves others, and a second one finds nothing', async () => {
    const { registry, image, remover } = await begin('open')
    const other = await registry.push(repository, 'web-2', 'other')
    expect(await remover.remove(image, undefined)).to.equal('removed')
    const statusOf = async (reference: string) =>
      (await fetch(`http://${registry.address}/v2/${repository}/manifests/${reference}`, { headers: { accept: type } }))
        .status
    expect([await statusOf('web-1'), await statusOf('web-2'), await statusOf(other)]).to.deep.equal([404, 200, 200])
    expect(await remover.remove(image, undefined)).to.equal('gone')
  })

  for (const kind of ['basic', 'token'] as const)
    it(`needs the login of a registry with ${kind} login, and says so`, async () => {
      const { image, remover } = await begin(kind)
      const { registry } = image
      expect(await remover.remove(image, undefined)).to.deep.equal({ kept: `the registry ${registry} wants a login` })
      const refused = await remover.remove(image, { ...registryLogin, password: 'wrong' })
      expect(refused).to.have.property('kept')
      expect(await remover.remove(image, registryLogin)).to.equal('removed')
    })

  it('throws where the registry does not answer, and calls no private address that is not named', async () => {
    const { registry, image, remover } = await begin('open')
    const careful = createImageRemover({ plain: [] })
    expect(await careful.remove(image, undefined).catch(() => 'thrown')).to.equal('thrown')
    await registry.stop()
    expect(await remover.remove(image, undefined).catch(() => 'thrown')).to.equal('thrown')
  })
})
