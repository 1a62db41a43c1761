/**
 * Capacity of the cluster: a deploy that does not fit is refused before anything is saved, and two deploys never share
 * the last capacity.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { View } from '../../contract/operations.ts'
import { cpuMillis } from '../../kinds/pods/quantity.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { capacityFor } from '../../kinds/apps/deploy/capacity.ts'
import { createDeployed } from '../../records/apps/create-deployed.ts'
import { newSpec } from '../../records/apps/create-draft.ts'
import { reservationsName } from '../../records/apps/reserve-capacity.ts'
import { NameUsed } from '../../records/place/place.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('Capacity for a deploy', () => {
  let api: TestApi
  let other: TestApi
  let token: string
  let project: string
  let now = Date.now()

  before(async function () {
    this.timeout(60_000)
    ;[api, other] = await Promise.all([startTestApi({ clock: () => now }), startTestApi({ clock: () => now })])
    token = await api.token({ name: 'capacity', role: 'admin' })
    project = (await post('/projects')).body.project
  })
  beforeEach(forget)
  after(async () => {
    await Promise.all([api.stop(), other.stop()])
  })

  const post = (path: string, json: object = {}, at = api) => at.ask('POST', `/api/v1${path}`, { token, json })
  const create = async (fields: object) =>
    post('/apps', { project, environment: 'production', image: 'svc/hello:1', ...fields })
  /** How many copies of 100m CPU take more than half of the free capacity, so that two such services do not fit. */
  const moreThanHalf = (): number => {
    const { nodes, pods } = api.needs.caches
    const most = nodes.list().reduce((sum, node) => sum + cpuMillis(node.status?.allocatable?.['cpu']), 0)
    const fits = (copies: number) =>
      capacityFor({
        app: '',
        copies,
        perCopy: { cpuMillis: 100, memoryBytes: 1 },
        nodes: nodes.list(),
        pods: pods.list(),
        reservations: [],
        isOwnPod: () => false,
        now,
      }).fits
    let copies = Math.floor(most / 100)
    while (!fits(copies)) copies -= 1
    return Math.floor(copies * 0.6)
  }
  const small = { cpu: '100m', memory: '1Mi' }

  interface Kept {
    app: string
    expiresAt: number
  }
  const reservations = { type: coreTypes.configMap, namespace: systemNamespace, name: reservationsName }

  async function promised(): Promise<Kept[]> {
    const { client } = await useStack()
    const kept = await client.get<KubeObject & { data: { promises: string } }>(reservations)
    return JSON.parse(kept?.data.promises ?? '[]') as Kept[]
  }

  async function forget(): Promise<void> {
    const { client } = await useStack()
    await client.delete(reservations)
  }

  it('POST /apps with deploy is refused before saving when no node has capacity for one copy', async () => {
    const { status, body } = await create({ name: 'too-big', cpu: '9000', deploy: true })
    expect([status, body.code]).to.deep.equal([400, 'invalid_request'])
    expect(body.error).to.equal(
      'the cluster has no capacity: no node has 9000000m CPU and 128Mi memory free for one copy',
    )
    expect((await api.ask('GET', '/api/v1/apps/too-big', { token })).status).to.equal(404)
  })

  it('PATCH with deploy saves nothing when there is no capacity', async () => {
    const { name } = (await create({ deploy: true })).body
    const { status } = await api.ask('PATCH', `/api/v1/apps/${name}`, { token, json: { cpu: '9000', deploy: true } })
    expect(status).to.equal(400)
    expect((await api.ask('GET', `/api/v1/apps/${name}`, { token })).body.spec.resources.requests.cpu).to.equal('100m')
  })

  it('two deploys at once through two processes never both take the last capacity', async () => {
    for (let round = 0; round < 3; round += 1) {
      await forget()
      const replicas = moreThanHalf()
      const names = await Promise.all([1, 2].map(async () => (await create({ replicas, ...small })).body.name))
      const answers = await Promise.all(
        names.map((name, index) => post(`/apps/${name}/deploy`, {}, index === 0 ? api : other)),
      )
      expect(
        answers.map(({ status }) => status),
        answers.map(({ text }) => text).join(),
      ).to.have.members([200, 400])
      expect(answers.find(({ status }) => status === 400)?.body.error).to.match(
        /^the cluster has no capacity: \d+m CPU .* needed, \d+m CPU .* free$/,
      )
    }
  })

  it('many deploys that arrive together share few writes', async () => {
    const names = await Promise.all(Array.from({ length: 12 }, async () => (await create(small)).body.name))
    const answers = await Promise.all(names.map((name) => post(`/apps/${name}/deploy`)))
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
    expect((await promised()).map(({ app }) => app)).to.have.members(names)
  })

  it('a reservation stays while another process tries to create a service with the same name', async () => {
    const { name } = (await create({ ...small, replicas: 3, deploy: true })).body
    const before = await promised()
    const spec = newSpec({ project, environment: 'production', source: 'image', image: 'svc/hello:1', port: 8080 })
    const asked = createDeployed(other.needs.writes, name, spec, { actor: '', requestId: '' })
    expect(await asked.catch((error: unknown) => error)).to.be.instanceOf(NameUsed)
    const undated = ({ expiresAt: _, ...promise }: Kept) => promise
    expect((await promised()).map(undated)).to.deep.equal(before.map(undated))
  })

  it('an unused reservation ends after a minute', async () => {
    const replicas = moreThanHalf()
    const first = (await create({ replicas, ...small })).body.name
    const second = (await create({ replicas, ...small })).body.name
    expect((await post(`/apps/${first}/deploy`)).status).to.equal(200)
    expect((await post(`/apps/${second}/deploy`)).status).to.equal(400)
    now += 61_000
    expect((await post(`/apps/${second}/deploy`)).status).to.equal(200)
  })

  it('a deploy of the same service again replaces its promise', async () => {
    const { name } = (await create({ replicas: moreThanHalf(), ...small })).body
    expect((await post(`/apps/${name}/deploy`)).status).to.equal(200)
    expect((await post(`/apps/${name}/deploy`, {}, other)).status).to.equal(200)
  })

  it('GET /api/projects/{project}/capacity foresees what a deploy would be refused for, and reserves nothing', async () => {
    const target = (await post('/projects')).body.project
    const make = async (fields: object) =>
      (await post('/apps', { project: target, environment: 'production', image: 'svc/hello:1', ...small, ...fields }))
        .body.name
    const most = moreThanHalf()
    const names = [await make({ replicas: most }), await make({ replicas: most }), await make({ deploy: true })]
    const foresee = async () => (await api.ask('GET', `/api/projects/${target}/capacity`, { token })).body
    const { items, total, free } = (await foresee()) as View<'projects.capacity'>
    const of = (name: string) => items.find((item) => item.name === name)
    expect(items.map(({ name }) => name)).to.have.members(names.slice(0, 2))
    expect(of(names[0])).to.deep.include({ kind: 'app', copies: most, cpuMillis: most * 100 })
    const refused = items.filter(({ refusal }) => refusal !== undefined)
    expect(refused).to.have.length(1)
    expect(refused[0]?.refusal).to.match(/^the cluster has no capacity: /)
    expect(total.cpuMillis).to.equal(2 * most * 100)
    expect(free?.cpuMillis).to.be.lessThan(total.cpuMillis)
    expect((await post(`/apps/${refused[0]?.name}/deploy`)).status, 'nothing was reserved').to.equal(200)
    expect(((await foresee()) as View<'projects.capacity'>).items.map(({ refusal }) => refusal !== undefined))
      .to.deep //
      .equal([true])
  })

  it('POST /projects/{name}/deploy stops at the first without capacity and keeps what it deployed', async () => {
    const target = (await post('/projects')).body.project
    const make = async (fields: object) =>
      (await post('/apps', { project: target, environment: 'production', image: 'svc/hello:1', ...small, ...fields }))
        .body.name
    const fits = await make({})
    // The cluster notes when a record was made in whole seconds, and the older one is deployed first.
    await sleep(1_100)
    const full = await make({ cpu: '9000' })
    const { status, body } = await post(`/projects/${target}/deploy`, { environment: 'production' })
    expect(status).to.equal(400)
    expect((await api.ask('GET', `/api/v1/apps/${fits}/status`, { token })).body.state).to.equal('pending')
    expect(body.error).to.match(new RegExp(`^${full}: the cluster has no capacity`))
    await api.ask('PATCH', `/api/v1/apps/${full}`, { token, json: { cpu: '100m' } })
    const { body: again } = await post(`/projects/${target}/deploy`, { environment: 'production' })
    expect(again).to.deep.equal({ ok: true, deployed: 1 })
    expect((await post(`/projects/${target}/deploy`)).body.error).to.equal('environment is required')
  })
})
