/** What the environment of a pull request has of its own, what it has by reference, and what a fork never gets. */
import type { V1Secret } from '@kubernetes/client-node'
import { expect } from 'chai'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { setSecret } from '../../records/apps/secrets.ts'
import { eventually } from '../cluster/eventually.ts'
import { createStore } from '../harness/object-server.ts'
import { deploy, untilState } from '../harness/records.ts'
import { createDatabase, untilState as untilDatabase } from './database-world.ts'
import { type Base, untilClosed, untilCopy, usePullRequestWorld } from './pull-request-world.ts'
import { attemptIn, edit } from './service-world.ts'

const commit = '3'.repeat(40)
const waitMs = 25_000

describe('what the environment of a pull request has', function () {
  this.timeout(120_000)
  const world = usePullRequestWorld()

  /** The plain service gets a secret of its own, and the project two secret shared variables. */
  async function withSecrets({ project, plain }: Base): Promise<void> {
    const { records, api, token } = world()
    await setSecret(records, plain, 'API_KEY', 'own-secret-value')
    for (const [name, environment] of [
      ['BASE_TOKEN', 'production'],
      ['EVERY_TOKEN', ''],
    ] as const) {
      const json = { name, value: `${name}-value`, secret: true, ...(environment === '' ? {} : { environment }) }
      const saved = await api.ask('POST', `/api/v1/projects/${project.metadata.name}/variables/save`, { token, json })
      expect(saved.status).to.equal(200)
    }
    const plainVariable = { name: 'LEVEL', environment: 'production', value: 'debug' }
    const json = { ...plainVariable, secret: false }
    await api.ask('POST', `/api/v1/projects/${project.metadata.name}/variables/save`, { token, json })
  }
  /** What was frozen for the deploy of a service, by name. */
  async function frozen(app: App): Promise<Record<string, string>> {
    const secret = await world().records.client.get<Sent<V1Secret>>({
      type: coreTypes.secret,
      namespace: systemNamespace,
      name: attemptIn(app),
    })
    const decoded = Object.entries(secret?.data ?? {}).map(([name, value]) => [
      name,
      Buffer.from(value, 'base64').toString(),
    ])
    return Object.fromEntries(decoded) as Record<string, string>
  }
  const isReady = (app: App) => appState(app).state === 'ready'

  it('is databases and buckets of its own, and secrets by reference; all of it goes', async () => {
    const { records, happens } = world()
    const base = await world().makeBase()
    const { project, repository, built, plain } = base
    await withSecrets(base)
    const database = await createDatabase(records, project, { engine: 'redis' })
    const bucket = await createStore(records, `store-${project.metadata.name}`, {
      project: project.metadata.name,
      environment: 'production',
      engine: 'Local',
      buckets: ['files'],
      deploy: { enabled: true },
    })
    const reference = (name: string) => ({ name: 'REDIS_URL', valueFrom: { secretKeyRef: { name, key: 'uri' } } })
    await edit(records, plain, ({ env }) => ({ env: [...env, reference(`${database.metadata.name}-connection`)] }))
    await untilDatabase(records, database, 'ready')
    await deploy(records, plain)
    await untilState(records, plain, 'ready')

    await happens(repository, 7, commit)
    await world().untilRuns(built, 'pr-7', commit)
    const copy = await untilCopy(records, plain, 'pr-7', isReady, 'ready')
    expect(await frozen(copy)).to.deep.equal({
      API_KEY: 'own-secret-value',
      BASE_TOKEN: 'BASE_TOKEN-value',
      EVERY_TOKEN: 'EVERY_TOKEN-value',
      LEVEL: 'debug',
    })
    expect(copy.spec.env).to.deep.include(reference(`${database.metadata.name}-pr-7-connection`))
    const own = await records.databases.readLive(`${database.metadata.name}-pr-7`)
    expect(own?.spec).to.deep.include({ engine: 'redis', environment: 'pr-7', deploy: { enabled: true } })
    if (own !== undefined) await untilDatabase(records, own, 'ready')
    const store = await records.objectStores.readLive(`${bucket.metadata.name}-pr-7`)
    expect(store?.spec).to.deep.include({ environment: 'pr-7', buckets: ['files'], deploy: { enabled: true } })
    const listed = await world().api.ask('GET', `/api/v1/apps/${copy.metadata.name}/variables`, {
      token: world().token,
    })
    expect(listed.body).to.deep.include({ secrets: ['API_KEY'] })
    expect(JSON.stringify([world().saidOn(repository, 7), world().api.logLines()])).not.to.match(
      /secret-value|TOKEN-value/,
    )

    await happens(repository, 7, commit, { state: 'closed' })
    await untilClosed(records, project, 'pr-7')
    expect(await records.databases.readLive(`${database.metadata.name}-pr-7`)).to.equal(undefined)
    expect(await records.objectStores.readLive(`${bucket.metadata.name}-pr-7`)).to.equal(undefined)
    expect(await records.databases.readLive(database.metadata.name)).not.to.equal(undefined)
    expect(await frozen((await records.apps.readLive(plain.metadata.name)) ?? plain)).to.have.property('API_KEY')
  })

  it('of a fork is made after the word of an admin for that commit alone, and has no secrets', async () => {
    const { records, happens, saidOn, api, token } = world()
    const base = await world().makeBase()
    const { project, repository, built, plain } = base
    await withSecrets(base)
    const from = 'somebody/fork'
    await happens(repository, 8, commit, { from })
    const waits = () => saidOn(repository, 8)[0]?.includes('3333333 comes from a fork') === true
    await eventually('the comment asks for an admin', waits, waitMs)
    expect((await records.projects.readLive(project.metadata.name))?.spec.environments).to.deep.equal(['production'])

    const path = `/api/v1/projects/${project.metadata.name}/pr-environments/allow`
    const allowed = await api.ask('POST', path, { token, json: { number: 8, repository, commit } })
    expect(allowed.body).to.deep.equal({ ok: true })
    await world().untilRuns(built, 'pr-8', commit)
    const copy = await untilCopy(records, plain, 'pr-8', isReady, 'ready')
    expect(await frozen(copy)).to.deep.equal({ LEVEL: 'debug' })
    expect(copy.spec.secretRef).to.equal(undefined)

    const next = '4'.repeat(40)
    await happens(repository, 8, next, { from })
    const asks = () => saidOn(repository, 8)[0]?.includes('Not updated: commit 4444444 comes from a fork') === true
    await eventually('the comment asks again', asks, waitMs)
    const entry = (await records.projects.readLive(project.metadata.name))?.spec.pullRequests?.[0]
    expect(entry).to.deep.include({ commit, fork: true, allowed: commit })
    await happens(repository, 8, next, { from, state: 'closed' })
    await untilClosed(records, project, 'pr-8')
  })
})
