/**
 * Builds on a real node that others end: a registry that refuses the image, the deadline, and a kill of the clone while
 * no worker runs. The install names a builder of Cloud Native Buildpacks.
 */
import { expect } from 'chai'
import { join } from 'node:path'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { eventuallyOnNode } from '../../cluster/eventually.ts'
import { type BuildNode, findProcess, imagesMs, startBuildNode } from './build-node.ts'
import { cnbBuilder, pushCnbImages } from './buildpacks-images.ts'
import { type RefusingRegistry, startRefusingRegistry } from './refusing-registry.ts'

type Job = KubeObject & { status?: { conditions?: { type: string; status: string; reason?: string }[] } }
const can = canHaveNode()
;(can.ok ? describe : describe.skip)('builds on a real node that are ended', function () {
  this.timeout(imagesMs)
  let node: BuildNode
  let refusing: RefusingRegistry
  before(async () => {
    node = await startBuildNode({ SVC_BUILD_BUILDPACKS: cnbBuilder, SVC_BUILD_MINUTES: '1' })
    await pushCnbImages(node.registry, join(node.dataDir, 'images-cnb.json'))
    refusing = await startRefusingRegistry(node.host)
  })
  after(async () => {
    await refusing?.stop()
    await node?.stop()
  })

  const over = async (name: string) => {
    const ended = await node.untilOver(name)
    return { ...ended, log: await node.log(name, ended.id) }
  }
  const inBuilds = async (type: typeof coreTypes.job) =>
    (await node.cluster.list<Job>(type, { namespace: 'svc-builds' })).items

  const refusals: [what: string, path: string, says: RegExp][] = [
    ['does not take the login', 'locked/builds', /\b401 Unauthorized\b|UNAUTHORIZED: the registry says no/],
    ['takes the layers and not the image', 'sealed/builds', /failed to export: .*DENIED: the registry says no/],
    ['lets the login push nothing', 'open/builds', /\b403 Forbidden\b|DENIED: the registry says no/],
  ]
  for (const [at, [what, path, says]] of refusals.entries())
    it(`a registry that ${what} fails a build by buildpacks with a sentence`, async () => {
      const repository = `${refusing.address}/${path}`
      await node.client.call('settings.registry-save', { repository, username: 'robot', password: 'not-the-one' })
      try {
        await node.git.commit(`team/refused-${at}`, { 'hello.txt': 'x' })
        await node.create(`refused-${at}`, `team/refused-${at}`)
        const { phase, summary, log } = await over(`refused-${at}`)
        expect(phase, log).to.equal('Failed')
        expect(summary, log).to.contain(`the build failed: the image could not be pushed to ${repository}: `)
        expect(summary).to.match(says)
        expect(`${summary}\n${log}`).not.to.contain('not-the-one')
      } finally {
        await node.client.call('settings.registry-clear', {})
      }
    })

  it('a clone that is killed while no worker runs ends its Job, and the next worker says so', async () => {
    const worker = (await findProcess('temporal/main.ts', `SVC_DATA=${node.dataDir}`)) ?? 0
    expect(worker).to.be.greaterThan(1)
    await node.create('killed', 'silent/killed')
    let clone: number | undefined
    const isCloning = async () => (clone = await findProcess('REPOSITORY=', '/silent/killed.git\0')) !== undefined
    await eventuallyOnNode('it is cloned', isCloning)
    const running = async () =>
      (await inBuilds(coreTypes.pod)).some((pod) => (pod.status as { phase?: string }).phase === 'Running')
    await eventuallyOnNode('the node has started the other containers', running)
    process.kill(worker, 'SIGSTOP')
    try {
      process.kill(clone ?? 0, 'SIGKILL')
      let ends: (string | undefined)[] = []
      await eventuallyOnNode('the Job has ended', async () => {
        const [job] = await inBuilds(coreTypes.job)
        ends = (job?.status?.conditions ?? []).filter(({ type }) => type === 'Failed').map(({ reason }) => reason)
        return ends.length > 0
      })
      expect(ends, 'by the end of its containers').to.deep.equal(['BackoffLimitExceeded'])
    } finally {
      process.kill(worker, 'SIGCONT')
    }
    const { phase, summary, log } = await over('killed')
    const said = 'the clone was killed before it had ended'
    expect([phase, summary], log).to.deep.equal(['Failed', `the build failed: ${said} (exit code 137)`])
    expect(log.split('\n'), 'of the container that waited for it').to.include(said)
  })

  const late: [what: string, repository: string, files: Record<string, string>, log: RegExp][] = [
    ['by buildpacks', 'team/late-hello', { 'hello.txt': 'x', seconds: '600' }, /===> BUILDING\n/],
    ['of a Dockerfile', 'team/late-docker', { Dockerfile: 'FROM busybox\nRUN sleep 600\n' }, /RUN sleep 600/],
    ['whose repository does not answer', 'silent/late', { 'hello.txt': 'x' }, /fetching /],
  ]
  for (const [what, repository, files, begun] of late)
    it(`the deadline ends a build ${what}, and its Job and its pod go`, async () => {
      const name = repository.replace('/', '-')
      await node.git.commit(repository, files)
      await node.create(name, repository)
      const { phase, summary, log } = await over(name)
      expect([phase, summary], log).to.deep.equal(['Failed', 'the build failed: the build took longer than 1 minute'])
      expect(log).to.match(begun)
      const isLeft = async () => [...(await inBuilds(coreTypes.job)), ...(await inBuilds(coreTypes.pod))].length > 0
      await eventuallyOnNode('its Job and its pod are gone', async () => !(await isLeft()))
    })
})
