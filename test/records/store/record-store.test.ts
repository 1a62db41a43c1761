/** Writing records: two editors, lost answers, and processes that die between two steps. */
import { expect } from 'chai'
import type { ClusterClient } from '../../../cluster/client.ts'
import { ClusterError, noAnswer } from '../../../cluster/objects/errors.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { finalizers, labels } from '../../../kinds/meta/annotations.ts'
import { viewOf } from '../../../kinds/apps/view.ts'
import type { App } from '../../../kinds/apps/kind.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { refuse } from '../../../contract/problem.ts'
import { acceptDeploy } from '../../../records/apps/accept-deploy.ts'
import { editSpec } from '../../../records/apps/edit-app.ts'
import { setSecret } from '../../../records/apps/secrets.ts'
import { createKeyedMutex } from '../../../records/store/keyed-mutex.ts'
import { createEnvironment } from '../../../records/projects/save-settings.ts'
import { recordStore } from '../../../records/store/record-store.ts'
import {
  behindStore,
  createApp,
  createProject,
  openRecords,
  useRecords,
  type TestRecords,
} from '../../harness/records.ts'

/** The same records through a client on which some calls fail. */
const through = (records: TestRecords, client: ClusterClient): TestRecords => ({
  ...records,
  client,
  apps: recordStore(client, records.apps.cache, resourceTypes.app),
  projects: recordStore(client, records.projects.cache, resourceTypes.project),
  deployments: recordStore(client, records.deployments.cache, resourceTypes.deployment),
})

/** A client whose next writes of this kind reach the cluster, but whose answers are lost. */
const losingAnswers = (client: ClusterClient, plural: string, times: number): ClusterClient => {
  let left = times
  return {
    ...client,
    replace: async (type, object, options) => {
      const written = await client.replace(type, object, options)
      if (type.plural !== plural || left === 0) return written
      left -= 1
      throw new ClusterError(0, noAnswer.unreachable, 'the connection was reset')
    },
  }
}

/** A client whose process dies: every call of this kind fails. */
const dyingAt = (client: ClusterClient, verb: 'create' | 'replace', plural: string): ClusterClient => ({
  ...client,
  [verb]: async (type: { plural: string }, ...others: never[]) => {
    if (type.plural === plural) throw new Error('killed')
    return (client[verb] as (...all: unknown[]) => Promise<unknown>)(type, ...others) // both take a type first
  },
})

/** The same records with a cache whose watch has delivered nothing since this version of a service. */
const remembering = (records: TestRecords, app: App): TestRecords => ({
  ...records,
  apps: behindStore(records.client, resourceTypes.app, [app]),
})

const request = { operation: 'deploy' as const, actor: 'tester', requestId: 'r', title: 'A test deploys' }

describe('Writing records', () => {
  let records: TestRecords
  let app: App

  before(async function () {
    this.timeout(60_000)
    records = await useRecords()
  })
  beforeEach(async () => {
    app = await createApp(records, await createProject(records))
  })

  it('a deploy whose answer is lost is accepted once', async () => {
    const flaky = through(records, losingAnswers(records.client, 'svcapps', 1))
    const accepted = await acceptDeploy(flaky, app, request)
    const live = await records.apps.readLive(app.metadata.name)
    expect(viewOf(accepted).attempt?.record).to.equal(viewOf(live ?? app).attempt?.record)
    expect(accepted.metadata.resourceVersion).to.equal(live?.metadata.resourceVersion)
    const { items } = await records.client.list(resourceTypes.deployment, {
      namespace: systemNamespace,
      labelSelector: `${labels.app}=${app.metadata.name}`,
    })
    expect(items).to.have.length(1)
  })

  it('a deploy whose answer is lost and that was superseded before it could look is not made again', async () => {
    let left = 1
    const flaky = through(records, {
      ...records.client,
      replace: async (type, object, options) => {
        const written = await records.client.replace(type, object, options)
        if (left === 0) return written
        left -= 1
        records.apps.cache.put(written as unknown as App) // the record that was just written
        await acceptDeploy(records, app, { ...request, record: `${app.metadata.name}-later` })
        throw new ClusterError(0, noAnswer.unreachable, 'the connection was reset')
      },
    })
    const saved = await acceptDeploy(flaky, app, { ...request, record: `${app.metadata.name}-first` })
    expect(viewOf(saved).attempt).to.include({
      record: `${app.metadata.name}-later`,
      supersedes: `${app.metadata.name}-first`,
    })
    expect((await records.deployments.read(`${app.metadata.name}-first`))?.spec.app).to.equal(app.metadata.name)
  })

  it('an environment whose answer is lost is added once and not refused as existing', async () => {
    const flaky = through(records, losingAnswers(records.client, 'svcprojects', 1))
    const project = await createEnvironment(flaky, app.spec.project, 'staging')
    expect(project.spec.environments).to.deep.equal(['production', 'staging'])
  })

  it('a write that is never answered ends with the error', async () => {
    const dead = through(records, {
      ...records.client,
      replace: () => Promise.reject(new ClusterError(503, 'ServiceUnavailable', 'try later')),
    })
    let failure: unknown
    await editSpec(dead, app.metadata.name, ({ spec }) => ({ ...spec, port: 9000 })).catch((error: unknown) => {
      failure = error
    })
    expect(failure).to.be.instanceOf(ClusterError)
  })

  it('dying between the accepted deploy and its record loses nothing: the same attempt again makes the record', async () => {
    const record = `${app.metadata.name}-death`
    const dying = through(records, dyingAt(records.client, 'create', 'svcdeployments'))
    let died = false
    await acceptDeploy(dying, app, { ...request, record }).catch(() => {
      died = true
    })
    expect(died).to.equal(true)
    expect(await records.deployments.read(record)).to.equal(undefined)
    await acceptDeploy(records, app, { ...request, record })
    expect((await records.deployments.read(record))?.spec.app).to.equal(app.metadata.name)
  })

  it('a record by kubectl is held by the very write that accepts its deploy: what is made from then on is taken down with it', async () => {
    const name = `${app.metadata.name}-held`
    const made = await records.apps.create({ ...app, metadata: { name, namespace: systemNamespace } })
    const dying = through(records, dyingAt(records.client, 'create', 'svcdeployments'))
    expect(await acceptDeploy(dying, made, request).catch((error: Error) => error.message)).to.equal('killed')
    const accepted = await records.apps.readLive(name)
    expect(viewOf(accepted ?? app).attempt?.record).to.match(new RegExp(`^${name}-`))
    expect(accepted?.metadata.finalizers).to.deep.equal([finalizers.app])
  })

  it('an attempt whose process died after accepting it gets its record before it is superseded, however stale the cache', async () => {
    const [lost, later] = [`${app.metadata.name}-lost`, `${app.metadata.name}-later`]
    const dying = through(records, dyingAt(records.client, 'create', 'svcdeployments'))
    let died = ''
    await acceptDeploy(dying, app, { ...request, record: lost }).catch((error: Error) => {
      died = error.message
    })
    expect(died).to.equal('killed')
    const saved = await acceptDeploy(records, app, { ...request, record: later })
    expect(viewOf(saved).attempt).to.include({ record: later, supersedes: lost })
    expect((await records.deployments.read(lost))?.spec.app).to.equal(app.metadata.name)
  })

  it('a refusal counts only when the cluster still holds what the cache did: a service that took the name of a deleted one is deployed', async () => {
    const before = {
      ...app,
      metadata: { ...app.metadata, uid: 'another', resourceVersion: '1', deletionTimestamp: new Date().toISOString() },
    }
    const saved = await acceptDeploy(records, before, request)
    expect(viewOf(saved).attempt?.operation).to.equal('deploy')
    let asked = 0
    const edited = await records.apps
      .edit(app.metadata.name, (current) => {
        asked += 1
        if (asked === 1) throw refuse('memory says no')
        return { ...current, spec: { ...current.spec, port: 9001 } }
      })
      .catch((error: Error) => error.message)
    // Cache and cluster agree here, so the first refusal stands.
    expect([asked, edited]).to.deep.equal([1, 'memory says no'])
  })

  it('an edit that the cache has already is written all the same where another process has written since', async () => {
    const image = async () => (await records.apps.readLive(app.metadata.name))?.spec.source.image?.image
    const first = await editSpec(records, app.metadata.name, ({ spec }) => ({
      ...spec,
      source: { image: { image: 'svc/hello:1' } },
    }))
    const other = await openRecords()
    await editSpec(other, app.metadata.name, ({ spec }) => ({ ...spec, source: { image: { image: 'svc/hello:9' } } }))
    const deaf = remembering(records, first)
    await editSpec(deaf, app.metadata.name, ({ spec }) => ({ ...spec, source: { image: { image: 'svc/hello:1' } } }))
    expect(await image()).to.equal('svc/hello:1')
  })

  it('an edit that changes nothing is refused all the same where the version it is for is not the newest', async () => {
    const first = await editSpec(records, app.metadata.name, ({ spec }) => ({ ...spec, port: 1111 }))
    const other = await openRecords()
    await editSpec(other, app.metadata.name, ({ spec }) => ({ ...spec, replicas: spec.replicas + 1 }))
    const deaf = remembering(records, first)
    const asked = editSpec(
      deaf,
      app.metadata.name,
      ({ spec }) => ({ ...spec, port: 1111 }),
      first.metadata.resourceVersion,
    )
    expect(await asked.catch((error: unknown) => (error instanceof Error ? error.message : ''))).to.include(
      'changed by another writer',
    )
  })

  it('what another process has deleted is gone from the cache after an uncached read', async () => {
    const { name } = app.metadata
    const { apiVersion, kind, spec } = app
    const deaf = remembering(records, app)
    const other = await openRecords()
    await other.apps.edit(name, (record) => ({ ...record, metadata: { ...record.metadata, finalizers: [] } }))
    expect(await other.apps.remove(name, app.metadata.uid ?? '')).to.equal(true)
    expect((await deaf.apps.read(name))?.metadata.uid).to.equal(app.metadata.uid)
    expect(await deaf.apps.remove(name, app.metadata.uid ?? '')).to.equal(false)
    expect(await deaf.apps.read(name)).to.equal(undefined)
    const again = await other.apps.create({ apiVersion, kind, spec, metadata: { name, namespace: systemNamespace } })
    expect((await deaf.apps.read(name))?.metadata.uid, 'another record of that name').to.equal(again.metadata.uid)
  })

  it('dying before the secrets are written leaves the change pending and the old values in place', async () => {
    const first = await setSecret(records, app, 'S', 'old')
    await acceptDeploy(records, app, request)
    const dying = through(records, dyingAt(records.client, 'replace', 'secrets'))
    const now = (await records.apps.readLive(app.metadata.name)) ?? first.app
    await setSecret(dying, now, 'S', 'new').catch(() => undefined)
    const marked = await records.apps.readLive(app.metadata.name)
    expect(marked?.metadata.annotations?.['svc.dev/pending-changes']).to.equal('variables')
  })

  it('a refused deploy leaves no frozen secrets behind', async () => {
    await setSecret(records, app, 'S', 'value')
    let refused = ''
    await acceptDeploy(records, app, { ...request, ifMatch: '1' }).catch((error: Error) => {
      refused = error.message
    })
    expect(refused).to.equal('the resource was changed by another writer; read it again and retry')
    const { items } = await records.client.list(coreTypes.secret, {
      namespace: systemNamespace,
      labelSelector: `${labels.app}=${app.metadata.name},${labels.purpose}=release`,
    })
    expect(items).to.have.length(0)
  })

  it('a shared variable saved through another process is frozen by a deploy that follows', async () => {
    const other = await openRecords()
    for (let round = 0; round < 5; round += 1) {
      await other.projects.edit(app.spec.project, (project) => ({
        ...project,
        spec: { ...project.spec, sharedVariables: [{ name: 'SHARED', environment: '', value: `v${round}` }] },
      }))
      const release = viewOf(await acceptDeploy(records, app, request)).attempt?.release ?? ''
      const secret = await records.client.get<{
        apiVersion: string
        kind: string
        metadata: { name: string }
        data: Record<string, string>
      }>({
        type: coreTypes.secret,
        namespace: systemNamespace,
        name: release,
      })
      expect(Buffer.from(secret?.data['SHARED'] ?? '', 'base64').toString()).to.equal(`v${round}`)
    }
  })

  it('edits of one process take turns, also after one that failed', async () => {
    const withMutex = createKeyedMutex()
    const order: string[] = []
    const work = (name: string, fails = false) =>
      withMutex('same', async () => {
        order.push(`${name} begins`)
        await new Promise((resolve) => {
          setImmediate(resolve)
        })
        order.push(`${name} ends`)
        if (fails) throw new Error('refused')
      })
    await Promise.allSettled([work('a'), work('b', true), work('c')])
    expect(order).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })
})
