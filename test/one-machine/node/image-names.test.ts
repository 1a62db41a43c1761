/** By which names pods of the one-machine stack get the images of builds, of the object server and of backups. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { chooseImageNames, usualRegistryAnswers } from '../../../one-machine/node/image-names.ts'
import { imageEnvironment } from '../../../one-machine/platform.ts'
import { freePort, loopback } from '../../../one-machine/processes/ports.ts'
import { backupImage } from '../../../temporal/settings/backups.ts'
import { objectServerSettings } from '../../../temporal/settings/object-server.ts'

const withDigest = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/
const made = {
  builder: 'moby/buildkit:v0.34.2-rootless',
  objectServer: 'minio/minio:latest',
  transfer: 'rclone/rclone:1.60.1',
}
/** The paths of their manifests in a registry. */
const manifestsOfMade = [
  '/v2/moby/buildkit/manifests/v0.34.2-rootless',
  '/v2/minio/minio/manifests/latest',
  '/v2/rclone/rclone/manifests/1.60.1',
]

describe('the images of builds, of the object server and of backups', () => {
  let nodeDir: string
  let stops: (() => void)[]
  beforeEach(() => {
    nodeDir = mkdtempSync(join(tmpdir(), 'svc-image-names-'))
    stops = []
  })
  afterEach(() => {
    for (const stop of stops) stop()
    rmSync(nodeDir, { recursive: true })
  })

  /** A registry that has the manifests at these paths, and wants a login for its own address, as Docker Hub does. */
  async function registryWith(manifests: readonly string[]): Promise<string> {
    const server = createServer(({ url = '' }, answer) => {
      if (manifests.includes(url)) answer.setHeader('docker-content-digest', `sha256:${'a'.repeat(64)}`)
      answer.writeHead(url === '/v2/' ? 401 : manifests.includes(url) ? 200 : 404).end()
    })
    const port = await freePort()
    await new Promise<void>((listens) => server.listen(port, loopback, listens))
    stops.push(() => server.close())
    return `http://${loopback}:${port}`
  }

  /** What the worker is started with. */
  async function named(usual: string, manifests: readonly string[] = []) {
    const registry = await registryWith(manifests)
    const usualRegistry = usualRegistryAnswers(`${usual}/v2/`)
    const node = {
      registryAddress: new URL(registry).host,
      imageNames: await chooseImageNames({ nodeDir, registry, usualRegistry }),
      gitCertificate: { authority: '/a.pem', cert: '/c.pem', key: '/k.pem' },
    }
    const env = imageEnvironment({ node })
    const { SVC_BUILDER_IMAGE: builder = '', SVC_MINIO_IMAGE: objectServer = '', SVC_BACKUP_IMAGE: transfer = '' } = env
    return { builder, objectServer, transfer }
  }
  const nowhere = async (): Promise<string> => `http://${loopback}:${await freePort()}`
  /** As containerd keeps the manifest of what it has pulled. */
  function pull(image: string): void {
    const blobs = join(nodeDir, 'containerd/io.containerd.content.v1.content/blobs/sha256')
    mkdirSync(blobs, { recursive: true })
    writeFileSync(join(blobs, image.split('@sha256:')[1] ?? ''), '{}')
  }

  it("are the publishers' by their digests, the same as on clusters, where the usual registry answers", async () => {
    const { builder, objectServer, transfer } = await named(await registryWith([]))
    expect(builder).to.match(withDigest)
    expect(builder).to.match(/^moby\/buildkit:/)
    expect(objectServer).to.equal(objectServerSettings({}).image)
    expect(objectServer).to.match(withDigest)
    expect(transfer).to.equal(backupImage({}))
    expect(transfer).to.match(withDigest)
  })

  it('of functions are those that are made here, unless the operator names others', () => {
    const simulated = {} as never // only that there is one counts
    const given = '{"node":"registry.example.com/function-node:1"}'
    const runnersOf = (env: NodeJS.ProcessEnv) => imageEnvironment({ simulated }, env)['SVC_FUNCTION_IMAGES'] ?? ''
    expect(JSON.parse(runnersOf({}))).to.have.all.keys('node', 'python', 'bun')
    expect(runnersOf({ SVC_FUNCTION_IMAGES: given })).to.equal(given)
    expect(imageEnvironment({})).not.to.have.property('SVC_FUNCTION_IMAGES')
  })

  it('of backups are those that the operator names', async () => {
    const node = {
      registryAddress: '10.64.0.2:5000',
      imageNames: made,
      gitCertificate: { authority: '/a.pem', cert: '/c.pem', key: '/k.pem' },
    }
    expect(imageEnvironment({ node }, { SVC_BACKUP_IMAGE: 'registry.example.com/rclone:1' })).to.include({
      SVC_BACKUP_IMAGE: 'registry.example.com/rclone:1',
    })
  })

  it('are made here where it does not answer', async () => {
    expect(await named(await nowhere())).to.deep.equal(made)
  })

  it('stay those that were made here, once it answers', async () => {
    expect(await named(await registryWith([]), manifestsOfMade)).to.deep.equal(made)
  })

  it("stay the publishers' that the node has, while it does not answer", async () => {
    const published = await named(await registryWith([]))
    pull(published.builder)
    pull(published.objectServer)
    pull(published.transfer)
    expect(await named(await nowhere())).to.deep.equal(published)
    expect(await named(await nowhere(), manifestsOfMade)).to.deep.equal(published)
  })

  it('are chosen one by one', async () => {
    const published = await named(await registryWith([]))
    const { objectServer } = published
    pull(objectServer)
    expect(await named(await nowhere())).to.deep.equal({ ...made, objectServer })
    expect(await named(await registryWith([]), manifestsOfMade)).to.deep.equal({ ...made, objectServer })
    expect(await named(await registryWith([]))).to.deep.equal(published)
  })
})
