/** Resolving tags at a real registry: open, behind a password, behind a token service, and unreachable. */
import { expect } from 'chai'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Login } from '../../../outside/registry/challenge.ts'
import { createRegistries } from '../../../outside/registry/registry.ts'
import { freePort } from '../../../one-machine/processes/index.ts'
import { type LoginKind, registryLogin, startRegistry, type TestRegistry } from '../../harness/registry.ts'
import { eventually } from '../../cluster/eventually.ts'

const nobody = async () => undefined
/** Registries of tests listen on loopback. */
const patient = { timeoutMs: 15_000, privately: '127.0.0.1' }

describe('Image registries', function () {
  this.timeout(60_000)
  const opened: TestRegistry[] = []
  after(() => Promise.all(opened.map((registry) => registry.stop())))
  const open = async (kind: LoginKind = 'open', port?: number) => {
    const registry = await startRegistry(kind, port)
    opened.push(registry)
    return registry
  }

  it('tells the digest of a tag, and another one once the tag has moved', async () => {
    const registry = await open()
    const registries = createRegistries(patient)
    const first = await registry.push('team/web', '1', 'first')
    expect(await registries.meaningOf(`${registry.address}/team/web:1`, nobody)).to.deep.equal({ digest: first })
    const second = await registry.push('team/web', '1', 'second')
    expect(await registries.meaningOf(`${registry.address}/team/web:1`, nobody)).to.deep.equal({ digest: second })
    expect(await registries.meaningOf(`${registry.address}/team/web:2`, nobody)).to.deep.equal({
      unknown: `the registry ${registry.address} has no such image`,
    })
  })

  it('asks the mirror first, and the registry of the name when the mirror has none', async () => {
    const [mirror, own] = [await open(), await open()]
    const registries = createRegistries({ ...patient, mirror: `http://${mirror.address}` })
    const mirrored = await mirror.push('svc/hello', '1', 'mirrored')
    expect(await registries.meaningOf('svc/hello:1', nobody)).to.deep.equal({ digest: mirrored })
    const named = await own.push('svc/other', '1', 'named')
    expect(await registries.meaningOf(`${own.address}/svc/other:1`, nobody)).to.deep.equal({ digest: named })
  })

  for (const kind of ['basic', 'token'] as const) {
    it(`logs in with the pull secret (${kind})`, async () => {
      const registry = await open(kind)
      const digest = await registry.push('private/web', '3', kind)
      const asked: string[] = []
      const login = (value: Login | undefined) => async (name: string) => {
        asked.push(name)
        return value
      }
      const meaning = (value: Login | undefined) =>
        createRegistries(patient).meaningOf(`${registry.address}/private/web:3`, login(value))
      expect(await meaning(registryLogin)).to.deep.equal({ digest })
      expect(asked).to.deep.equal([registry.address])
      expect(await meaning(undefined)).to.deep.equal({ unknown: `the registry ${registry.address} wants a login` })
      expect(await meaning({ ...registryLogin, password: 'wrong' })).to.have.property('unknown')
    })
  }

  it('says that a registry is away, asks it no more for a while, and notices when it is back', async () => {
    const port = await freePort()
    const reference = `127.0.0.1:${port}/team/web:1`
    let clock = 0
    const registries = createRegistries({ ...patient, againMs: 1_000, now: () => clock })
    expect(await registries.meaningOf(reference, nobody)).to.deep.equal({
      unknown: `the registry 127.0.0.1:${port} does not answer, or is where svc may not ask`,
    })
    const registry = await open('open', port)
    const digest = await registry.push('team/web', '1', 'back')
    expect(await registries.meaningOf(reference, nobody)).to.deep.equal({
      unknown: `the registry 127.0.0.1:${port} did not answer a moment ago`,
    })
    clock += 1_000
    await eventually(
      'the registry is asked again',
      async () => {
        clock += 1_000
        return 'digest' in (await registries.meaningOf(reference, nobody))
      },
      20_000,
    )
    expect(await registries.meaningOf(reference, nobody)).to.deep.equal({ digest })
  })

  it('waits no longer than its limit for a registry that says nothing', async () => {
    let questions = 0
    const silent = createServer(() => {
      questions += 1
    }).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo // listens on TCP, so it has one
    const registries = createRegistries({ ...patient, timeoutMs: 100 })
    const meanings = await Promise.all(
      [1, 2, 3].map((tag) => registries.meaningOf(`127.0.0.1:${port}/web:${tag}`, nobody)),
    )
    expect(meanings).to.deep.equal(
      [1, 2, 3].map(() => ({ unknown: `the registry 127.0.0.1:${port} does not answer, or is where svc may not ask` })),
    )
    const before = questions
    expect(await registries.meaningOf(`127.0.0.1:${port}/web:4`, nobody)).to.deep.equal({
      unknown: `the registry 127.0.0.1:${port} did not answer a moment ago`,
    })
    expect(questions).to.equal(before)
    silent.closeAllConnections()
    silent.close()
  })

  it('sends no request for a reference with a digest, and refuses what is no reference', async () => {
    const registries = createRegistries({ timeoutMs: 1 })
    const digest = `sha256:${'a'.repeat(64)}`
    expect(await registries.meaningOf(`ghcr.io/acme/web:2@${digest}`, nobody)).to.deep.equal({ digest })
    for (const reference of ['Not An Image', 'registry.example.com:99999/web:1']) {
      expect(await registries.meaningOf(reference, nobody)).to.deep.equal({ unknown: 'it is no image reference' })
    }
  })
})
