/** The log of a deploy whose image is built: while its build runs, afterwards, and without a gap in between. */
import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import type { DeploymentLine } from '../../client/apps/follow-deployment.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { attemptLogName, attemptLogPurpose } from '../../records/store/attempt-history.ts'
import { type Build, buildSpec } from '../../kinds/builds/kind.ts'
import { buildLogKeys } from '../../kinds/builds/log.ts'
import { buildLabels, buildsNamespace } from '../../kinds/builds/names.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { openEvents } from './open-events.ts'
import { writeLog } from './played-pods.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('The log of a deploy that is built', () => {
  const mark = `built-${Date.now()}`
  let api: TestApi
  let token: string
  let app: string
  let id: string
  let build: Build

  before(async function () {
    this.timeout(60_000)
    api = await startTestApi()
    token = await api.token({ name: 'build-logs', role: 'observer' })
    const admin = await api.token({ name: 'build-logs-admin', role: 'admin' })
    const post = async (path: string, json: object) =>
      (await api.ask('POST', `/api/v1${path}`, { token: admin, json })).body
    const { project } = await post('/projects', {})
    const source = { source: 'git', repository: 'https://git.example.test/web.git', branch: 'main', deploy: true }
    app = (await post('/apps', { project, environment: 'production', ...source })).name
    id = (await get('/status')).lastAttempt.id
    const { client } = await useStack()
    build = await client.create<Build>(resourceTypes.build, {
      ...{ apiVersion, kind: 'SvcBuild', metadata: { name: id, namespace: systemNamespace } },
      spec: buildSpec.parse({ app, project, environment: 'production', repository: 'acme/web', attempt: id }),
    })
    await setStatus(resourceTypes.build, id, { phase: 'Running' })
    await client.create(coreTypes.pod, {
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: { name: id, namespace: buildsNamespace, labels: buildLabels(build) },
      spec: {
        automountServiceAccountToken: false,
        containers: ['clone', 'build'].map((name) => ({ name, image: 'svc/builder:1' })),
      },
    })
    const pods = api.needs.caches.pods
    await eventually('the pod runs', () => pods.get(id, buildsNamespace)?.status?.phase === 'Running')
  })
  after(async () => {
    await api.stop()
  })

  const get = async (path: string) => (await api.ask('GET', `/api/v1/apps/${app}${path}`, { token })).body
  const setStatus = async (type: ResourceType, name: string, status: object) =>
    (await useStack()).client.patch<KubeObject>(
      { type, namespace: systemNamespace, name },
      { status },
      { subresource: 'status' },
    )
  const own = (lines: readonly string[]) => lines.filter((line) => line.includes(mark))
  const kept = async (container: string): Promise<string[]> => {
    const { cluster } = await useStack()
    const all = (await readFile(cluster.containerLog, 'utf8')).split('\n').filter((line) => line.includes(mark))
    return [...all, `${new Date().toISOString()} stdout F ${mark} the last of ${container}`].map((line) =>
      line.replace(' stdout F ', ' '),
    )
  }

  it('GET /api/apps/{app}/deployments/{id}/logs has what its build has written so far', async () => {
    await writeLog(`#7 [2/2] RUN echo ${mark}`)
    await writeLog(`#8 exporting to image ${mark}`)
    const { sections } = await get(`/deployments/${id}/logs`)
    const lines = (wanted: string) => own(sections.find((each: { id: string }) => each.id === wanted)?.lines ?? [])
    expect(lines('build')).to.deep.equal([`#7 [2/2] RUN echo ${mark}`])
    expect(lines('push')).to.deep.equal([`#8 exporting to image ${mark}`])
    expect(lines('clone'), 'every container of the simulated nodes has the same log').to.have.length(2)
  })

  it('GET /api/apps/{app}/deployments/{id}/logs/stream has each line once, also when the pod goes and the log is kept, and ends with the deploy', async function () {
    this.timeout(30_000)
    const url = `${api.baseUrl}/api/apps/${app}/deployments/${id}/logs/stream`
    const stream = await openEvents<DeploymentLine>(url, token)
    const ofClone = () => own(stream.seen.filter(({ section }) => section === 'clone').map(({ line }) => line))
    await eventually('what was written before', () => ofClone().length === 2)
    await writeLog(`${mark} while it is followed`)
    await eventually('the new line', () => ofClone().at(-1) === `${mark} while it is followed`)
    const { client } = await useStack()
    const data = {
      steps: `${new Date().toISOString()} built`,
      [buildLogKeys.of]: id,
      [buildLogKeys.clone]: (await kept('clone')).join('\n'),
      [buildLogKeys.build]: (await kept('build')).join('\n'),
    }
    const metadata = { name: attemptLogName(id), namespace: systemNamespace }
    await client.create(coreTypes.configMap, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', data },
      metadata: { ...metadata, labels: { [labels.purpose]: attemptLogPurpose } },
    })
    await setStatus(resourceTypes.build, id, { phase: 'Succeeded' })
    await client.delete({ type: coreTypes.pod, namespace: buildsNamespace, name: id })
    await eventually(
      'the kept log of the build',
      () => stream.seen.some(({ line }) => line.includes('last of build')),
      20_000,
    )
    expect(ofClone().slice(2)).to.deep.equal([`${mark} while it is followed`, `${mark} the last of clone`])
    const built = stream.seen.filter(({ section, line }) => section !== 'clone' && line.includes(mark))
    expect(built.map(({ section }) => section)).to.deep.equal(['build', 'push', 'push', 'push'])
    expect(stream.ended()).to.equal(false)
    const at = new Date().toISOString()
    const lastAttempt = { id, phase: 'Succeeded', startedAt: at, completedAt: at, summary: 'ready', errors: [] }
    await setStatus(resourceTypes.app, app, { lastAttempt })
    await eventually('the stream ended', () => stream.ended(), 10_000)
    expect(stream.seen.filter(({ section }) => section === 'deploy').map(({ line }) => line.split(' ')[1])).to.include(
      'built',
    )
    const { sections } = await get(`/deployments/${id}/logs`)
    expect(sections.map((each: { id: string }) => each.id)).to.deep.equal(['clone', 'build', 'push', 'deploy'])
  })

  it('the stream of a deploy that has ended has all of it, and ends', async () => {
    const stream = await openEvents<DeploymentLine>(
      `${api.baseUrl}/api/apps/${app}/deployments/${id}/logs/stream`,
      token,
    )
    await eventually('the stream ended', () => stream.ended())
    expect(own(stream.seen.map(({ line }) => line)).filter((line) => line.includes('the last of'))).to.deep.equal([
      `${mark} the last of clone`,
      `${mark} the last of build`,
    ])
  })

  it('GET /api/apps/{app}/builds says what is known of each build', async () => {
    const figures = { imageBytes: 1_048_576, steps: 4, cachedSteps: 3, sourceRevision: 'a'.repeat(40) }
    await setStatus(resourceTypes.build, id, figures)
    const read = async () => (await api.ask('GET', `/api/apps/${app}/builds`, { token })).body.items
    await eventually('the figures', async () => (await read())[0]?.imageBytes === figures.imageBytes)
    const { sourceRevision: commit, ...others } = figures
    expect(await read()).to.deep.equal([
      { name: id, deployment: id, phase: 'Succeeded', branch: '', commit, reused: false, message: '', ...others },
    ])
  })

  it('keeps viewers out, and knows only deployments of the service', async () => {
    const viewer = await api.token({ name: 'build-logs-viewer', role: 'viewer' })
    const path = (record: string) => `/api/apps/${app}/deployments/${record}/logs/stream`
    expect((await api.ask('GET', path(id), { token: viewer })).status).to.equal(403)
    expect((await api.ask('GET', path('nothing'), { token })).status).to.equal(404)
  })
})
