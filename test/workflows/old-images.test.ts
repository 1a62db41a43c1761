/** Images of builds in a real registry: one goes with the last record that names it, and not before. */
import { expect } from 'chai'
import type { App } from '../../kinds/apps/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import {
  createProject,
  deploy,
  type TestRecords,
  until,
  untilGone,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { eventually } from '../cluster/eventually.ts'
import { startRegistry, type TestRegistry } from '../harness/registry.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { builderEnv, createGitApp, playBuild, revision, untilCleaned, untilPhase } from './build-world.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

describe('the image of a build whose record goes', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker
  let registry: TestRegistry
  const workerLog: string[] = []

  before(async function () {
    this.timeout(180_000)
    await withoutWorker()
    registry = await startRegistry()
    const env = {
      ...builderEnv,
      SVC_BUILD_REGISTRY: `${registry.address}/svc/builds`,
      SVC_BUILD_PLAIN_REGISTRIES: registry.address,
      SVC_BUILD_OLD_IMAGES: 'remove',
    }
    worker = await startTestWorker({}, 'temporal/main.ts', env, (line) => void workerLog.push(line))
    records = await useRecords()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    await worker?.stop('SIGKILL')
    await registry?.stop()
  })

  /** Deploys, and pushes what its build would have; resolves with the build and the digest. */
  const built = async (app: App, commit: string): Promise<{ name: string; digest: string }> => {
    const name = attemptIn(await deploy(records, app))
    const build = await untilPhase(records, name, 'Running')
    const digest = await registry.push('svc/builds', `${app.metadata.name}-${commit.slice(0, 12)}`, `${name} ${commit}`)
    await playBuild(records, build, {
      clone: { message: JSON.stringify({ revision: commit }) },
      build: { message: JSON.stringify({ digest }) },
    })
    await untilState(records, app, 'ready', name)
    await untilCleaned(records, name)
    return { name, digest }
  }
  const isThere = async (digest: string): Promise<boolean> => {
    const accept = 'application/vnd.oci.image.manifest.v1+json'
    const answer = await fetch(`http://${registry.address}/v2/svc/builds/manifests/${digest}`, { headers: { accept } })
    return answer.ok
  }
  const remove = async (name: string): Promise<void> => {
    await records.client.delete({ type: resourceTypes.build, namespace: systemNamespace, name })
    await until(records.builds, { metadata: { name } }, (seen) => seen === undefined, 'gone')
  }

  it('stays while the service runs it, and goes once nothing names it', async () => {
    const app = await createGitApp(records, project)
    const first = await built(app, revision)
    const second = await built(app, 'c'.repeat(40))
    await remove(second.name)
    expect(await isThere(second.digest), 'it runs').to.equal(true)
    await remove(first.name)
    expect(await isThere(first.digest), 'nothing names it').to.equal(false)
  })

  it('goes with the service', async () => {
    const app = await createGitApp(records, project)
    const { name, digest } = await built(app, revision)
    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(records, app)
    await until(records.builds, { metadata: { name } }, (seen) => seen === undefined, 'gone')
    expect(await isThere(digest)).to.equal(false)
  })

  it('holds the record of its build while the registry is away', async () => {
    const app = await createGitApp(records, project)
    const first = await built(app, revision)
    await built(app, 'd'.repeat(40))
    const { address } = registry
    await registry.stop()
    await records.client.delete({ type: resourceTypes.build, namespace: systemNamespace, name: first.name })
    const isTried = () => workerLog.some((line) => line.includes('could not be removed') && line.includes(first.name))
    await eventually('the registry was asked', isTried, 25_000)
    expect((await records.builds.readLive(first.name))?.metadata.deletionTimestamp).to.be.a('string')
    registry = await startRegistry('open', Number(address.split(':')[1]))
    await until(records.builds, { metadata: { name: first.name } }, (seen) => seen === undefined, 'gone')
  })
})
