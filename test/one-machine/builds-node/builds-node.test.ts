/**
 * Builds of services from git on a real node, by `npm start` and the API: a git server beside the node, a rootless
 * BuildKit in a pod, and the registry of the node. Runs when its folder is named.
 */
import { expect } from 'chai'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { type BuildNode, imagesMs, processes, startBuildNode } from './build-node.ts'
import { eventuallyOnNode } from '../../cluster/eventually.ts'

const can = canHaveNode()
const hello = { Dockerfile: 'FROM svc/hello:1\n' }
/** A build that goes on for hours, by a number that no other process has. */
const slow = (seconds: number) => ({ Dockerfile: `FROM busybox\nRUN sleep ${seconds}\n` })
const sleeps = async (seconds: number) => (await processes()).some((line) => line.startsWith(`sleep\0${seconds}`))

;(can.ok ? describe : describe.skip)('builds on a real node', function () {
  this.timeout(imagesMs)
  let node: BuildNode
  before(async () => void (node = await startBuildNode()))
  after(() => node?.stop())

  const status = (app: string) => node.client.call('apps.status', { app })
  const newest = async (app: string) => (await status(app)).lastAttempt?.id ?? ''
  const deployed = async (app: string) => {
    const former = await newest(app)
    await node.client.call('apps.deploy', { app })
    return node.untilOver(app, former)
  }
  const imageOf = async (app: string) => (await node.copies(app))[0]?.spec.containers[0]?.image ?? ''
  let revision = ''

  it('a repository with a Dockerfile is cloned, built, pushed and rolled out by its digest, and answers', async () => {
    revision = await node.git.commit('team/web', hello)
    await node.create('web', 'team/web', { replicas: 1 })
    const { id, phase, summary } = await node.untilOver('web')
    expect(phase, `${summary}\n${await node.log('web', id)}`).to.equal('Succeeded')
    expect(await node.answer('web')).to.match(/^hello from version 1/)
    expect((await status('web')).build).to.include({ phase: 'Succeeded', sourceRevision: revision })
    const tag = `web-${revision.slice(0, 12)}`
    const manifest = await fetch(`http://${node.registry}/v2/svc/builds/manifests/${tag}`, {
      method: 'HEAD',
      headers: { accept: 'application/vnd.oci.image.manifest.v1+json' },
    })
    const digest = manifest.headers.get('docker-content-digest') ?? 'none'
    expect(await imageOf('web')).to.equal(`${node.registry}/svc/builds:${tag}@${digest}`)
    expect(await node.log('web', id)).to.match(
      /Clone\n.*\ncommit \w{40}[^]*Build\n[^]*FROM docker.io\/svc\/hello:1[^]*pushed /,
    )
    const { items } = await node.cluster.list(coreTypes.job, { namespace: 'svc-builds' })
    expect(items, 'its Job is gone').to.deep.equal([])
  })

  it('a deploy of the same commit takes the image that is there', async () => {
    const before = await imageOf('web')
    const { id, phase } = await deployed('web')
    expect(phase).to.equal('Succeeded')
    expect(await imageOf('web')).to.equal(before)
    expect(await node.log('web', id))
      .to.match(/this commit has an image already/)
      .and.not.to.match(/exporting to image/)
  })

  it('a step that fails ends the deploy with its sentence, and the copies before it stay', async () => {
    const [copy] = await node.copies('web')
    await node.git.commit('team/web', { Dockerfile: 'FROM busybox\nRUN echo this step is broken && exit 3\n' })
    const { id, phase, summary } = await deployed('web')
    expect(phase).to.equal('Failed')
    expect(summary).to.match(/^the build failed: .*this step is broken.*exit code: 3/)
    expect(await node.log('web', id)).to.match(/this step is broken/)
    expect((await node.copies('web'))[0]?.metadata.uid, 'untouched').to.equal(copy?.metadata.uid)
    expect(await node.answer('web')).to.match(/^hello from version 1/)
  })

  it('a wrong Dockerfile is said with its line', async () => {
    await node.git.commit('team/web', { Dockerfile: 'FROM busybox\nRUM true\n' })
    const { phase, summary } = await deployed('web')
    expect(phase).to.equal('Failed')
    expect(summary).to.match(/dockerfile parse error on line 2: unknown instruction: RUM/)
  })

  it('the next build works', async () => {
    await node.git.commit('team/web', { Dockerfile: 'FROM svc/hello:2\n' })
    const former = await newest('web')
    await node.client.call('apps.build', { app: 'web' })
    expect((await node.untilOver('web', former)).phase).to.equal('Succeeded')
    await eventuallyOnNode('the new copy answers', async () =>
      (await node.answer('web')).startsWith('hello from version 2'),
    )
  })

  it('a build that is cancelled ends its processes, and what ran before goes on', async () => {
    const [copy] = await node.copies('web')
    const former = await newest('web')
    await node.git.commit('team/web', slow(31_337))
    await node.client.call('apps.deploy', { app: 'web' })
    await eventuallyOnNode('the step runs', () => sleeps(31_337))
    // The node shows the end of the clone a moment after the builder has seen it.
    await eventuallyOnNode('the service says so', async () =>
      /^build web-\w+: building$/.test((await status('web')).message ?? ''),
    )
    await node.client.call('apps.build-cancel', { app: 'web' })
    const { phase, summary } = await node.untilOver('web', former)
    expect([phase, summary]).to.deep.equal(['Failed', 'the build was cancelled'])
    await eventuallyOnNode('the step has ended', async () => !(await sleeps(31_337)))
    expect((await node.copies('web'))[0]?.metadata.uid).to.equal(copy?.metadata.uid)
  })

  it('a newer commit supersedes the build of the one before', async () => {
    await node.git.commit('team/web', slow(31_338))
    await node.client.call('apps.deploy', { app: 'web' })
    await eventuallyOnNode('the step runs', () => sleeps(31_338))
    const former = await newest('web')
    await node.git.commit('team/web', { ...hello, 'README.md': 'newer' })
    const { id, phase } = await deployed('web')
    expect([id === former, phase]).to.deep.equal([false, 'Succeeded'])
    expect(await sleeps(31_338), 'of the former').to.equal(false)
    expect(await node.log('web', former)).to.contain(`superseded by ${id}`)
    await eventuallyOnNode('it answers', async () => (await node.answer('web')).startsWith('hello from version 1'))
  })

  it('a repository without a Dockerfile that is a static site is served', async () => {
    await node.git.commit('team/site', { 'index.html': '<h1>a site</h1>\n' })
    await node.create('site', 'team/site')
    const { id, phase, summary } = await node.untilOver('site')
    expect(phase, `${summary}\n${await node.log('site', id)}`).to.equal('Succeeded')
    expect(await node.answer('site')).to.equal('<h1>a site</h1>\n')
  })

  it('a repository with nothing to build by is refused with what was looked for', async () => {
    await node.git.commit('team/nothing', { 'notes.txt': 'x' })
    await node.create('nothing', 'team/nothing')
    const { phase, summary } = await node.untilOver('nothing')
    expect(phase).to.equal('Failed')
    expect(summary).to.match(/no Dockerfile .*looked for bun\.lock, .*package\.json, go\.mod, .*index\.html/)
  })
})
