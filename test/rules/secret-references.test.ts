/**
 * A caller who may write records but no Secrets reaches no Secret through a record: every field that names one is
 * tried, with the api and the worker running.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import type { Condition, Resource } from '../../kinds/meta/resource.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createConnection } from '../../records/cloud-connections/create-connection.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { createApp, createProject, deploy, type TestRecords, untilState, useRecords } from '../harness/records.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { untilSetUp } from '../workflows/service-world.ts'
import { type Recorder, startRecorder } from './recorder.ts'
import { annotationCases, type Attempted, cases, ownName, type Try } from './secret-cases.ts'
import { secretPaths } from './secret-paths.ts'
import {
  asWriter,
  dataOf,
  foreigners,
  grantWriter,
  keys,
  mark,
  revokeWriter,
  secretValue,
  writerDoes,
  writesStatus,
} from './secret-world.ts'

type Secret = KubeObject & { data?: Record<string, string> }
type Said = KubeObject & Pick<Resource<object, { conditions?: Condition[] }>, 'status'>

const waitMs = 60_000

describe('a caller who may write records and no Secrets', function () {
  this.timeout(300_000)
  let records: TestRecords
  let api: TestApi
  let worker: TestWorker
  let recorder: Recorder
  let folder = ''
  let tries: Try[]
  let planted: Secret[]
  let attempted: Attempted[]
  let token = ''

  const inSystem = (type: ResourceType, name: string) => ({ type, namespace: systemNamespace, name })

  async function plant(name: string, own: Record<string, string>): Promise<void> {
    const metadata = { name, namespace: systemNamespace, labels: own }
    planted.push(
      await records.client.create<Secret>(coreTypes.secret, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata,
        data: dataOf(name),
      }),
    )
  }
  async function said(kind: string, name: string): Promise<string> {
    const type = Object.values(resourceTypes).find((each) => each.kind === kind) ?? expect.fail(kind)
    const { reason = '', message = '' } =
      readyOf((await records.client.get<Said>(inSystem(type, name)))?.status?.conditions) ?? {}
    return `${reason}: ${message}`
  }
  async function untilSaid(kind: string, name: string, what: RegExp): Promise<void> {
    const received = new Set<string>()
    const isSaid = async () => {
      const now = await said(kind, name)
      received.add(now)
      return what.test(now)
    }
    await eventually(`${kind} ${name} says ${String(what)}`, isSaid, waitMs).catch((error: unknown) =>
      expect.fail(`${String(error)}; it said ${[...received].join(' | ')}`),
    )
  }

  before(async () => {
    records = await useRecords()
    recorder = await startRecorder()
    folder = await mkdtemp(join(tmpdir(), 'svc-writer-'))
    const away = {
      SVC_AWS_ENDPOINT: recorder.url,
      SVC_PLANETSCALE_ENDPOINT: recorder.url,
      SVC_CLOUDFLARE_URL: recorder.url,
    }
    const building = { SVC_BUILDER_IMAGE: 'svc/builder:test', SVC_BUILDS_AT_ONCE: '20' }
    worker = await startTestWorker({}, 'temporal/main.ts', { ...away, ...building })
    api = await startTestApi({ env: away })
    await grantWriter(folder)
  })
  after(async () => {
    await revokeWriter()
    await Promise.all([api.stop(), worker.stop(), recorder.stop()])
    await forgetRecords()
    await rm(folder, { recursive: true, force: true })
  })

  it('has a case for every field and every annotation that names a Secret', () => {
    expect(Object.keys(cases).sort()).to.deep.equal(secretPaths())
    expect(Object.keys(annotationCases).sort()).to.deep.equal(Object.keys(annotations).sort())
  })

  it('may not read Secrets', async () => {
    const refused = await asWriter('get', 'secrets', '-n', systemNamespace).then(
      () => '',
      (error: { stderr: string }) => error.stderr,
    )
    expect(refused).to.include('forbidden')
  })

  it('has nothing read, copied, sent, overwritten or deleted by naming it', async () => {
    await prepareTries()
    await writeRecords()
    await untilAllRefused()
    await askTheApi()
    await expectUntouched()
    await removeAll()
    await expectUntouched()
  })

  async function prepareTries(): Promise<void> {
    const [mine, theirs] = [await createProject(records), await createProject(records)]
    await Promise.all([untilSetUp(records, mine), untilSetUp(records, theirs)])
    token = await api.token({ scope: 'project', project: mine.metadata.name, environment: 'production' })
    planted = []
    const connection = `theirs-${mark}`
    const values = Object.fromEntries(keys.map((key) => [key, secretValue(`${connection}-credentials`)]))
    const wanted = {
      name: connection,
      provider: 'AWS' as const,
      project: theirs.metadata.name,
      region: '',
      organization: '',
      keys: values,
    }
    await createConnection(records, wanted)
    planted.push(
      (await records.client.get<Secret>(inSystem(coreTypes.secret, `${connection}-credentials`))) ??
        expect.fail('no keys'),
    )
    const kept = `kept-${mark}`
    tries = []
    for (const [number, [what, own]] of Object.entries(foreigners(theirs.metadata.name)).entries()) {
      const foreign = `${what}-${mark}`
      const id = `${what}-${mark}`
      const naming = `proj-${mark.slice(0, 6)}${String(number).padStart(2, '0')}`
      tries.push({ project: mine.metadata.name, naming, kept, foreign, connection, port: recorder.port, id })
      await plant(foreign, own)
      await records.client.create(coreTypes.configMap, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `${foreign}-log`, namespace: systemNamespace },
        data: { steps: 'of another owner' },
      } as KubeObject)
      // Names that svc gives to its own Secrets, taken by Secrets that do not belong to the record.
      await plant(`own-${id}-secrets`, own)
      await plant(`${naming}-webhook-planted`, own)
      await plant(`${naming}-shared`, own)
    }
  }

  async function writeRecords(): Promise<void> {
    const makers = [...Object.values(cases), ...Object.values(annotationCases)].flatMap((each) =>
      typeof each === 'string' ? [] : each,
    )
    const once = [...new Set(makers)]
    attempted = [...tries.flatMap((wanted) => [...once, ownName].map((make) => make(wanted)))]
    const byName = new Map(attempted.map((object) => [`${object.kind}/${object.metadata.name}`, object]))
    attempted = [...byName.values()]
    await writerDoes(
      folder,
      'apply',
      attempted.map(({ status: _, ...object }) => object),
    )
    for (const { kind, metadata, status } of attempted) {
      if (status === undefined) continue
      const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]
      await asWriter('patch', kind, metadata.name, '-n', systemNamespace, ...patch)
    }
    // A history long enough to be pruned; its oldest records have the names of the Secrets.
    const app = await records.apps.create({
      apiVersion,
      kind: resourceTypes.app.kind,
      metadata: { name: `kept-${mark}`, namespace: systemNamespace },
      spec: appSpec.parse({
        project: tries[0]?.project,
        environment: 'production',
        source: { image: { image: 'svc/hello:1' } },
      }),
    })
    const filler = {
      app: app.metadata.name,
      project: app.spec.project,
      environment: 'production',
      image: 'svc/hello:1',
    }
    for (let number = 10; number < 24; number += 1) {
      await records.client.create(resourceTypes.deployment, {
        apiVersion,
        kind: resourceTypes.deployment.kind,
        metadata: {
          name: `kept-${mark}-f${number}`,
          namespace: systemNamespace,
          labels: { [labels.app]: app.metadata.name },
        },
        spec: filler,
        status: { phase: 'Recorded', startedAt: `2020-01-01T00:00:${number}Z` },
      } as KubeObject)
    }
    const accepted = await deploy(records, app)
    await untilState(records, accepted, 'ready')
    await eventually(
      'its history is pruned',
      async () => (await records.client.get(inSystem(resourceTypes.deployment, tries[0]?.foreign ?? ''))) === undefined,
      waitMs,
    )
    await autoRollback()
  }

  /** Makes failed deploys roll back to releases whose frozen values are claimed to be in each of the Secrets. */
  async function autoRollback(): Promise<void> {
    const failing = await Promise.all(tries.map(makeFailing))
    // A running worker would carry an attempt out before the status says that it has failed.
    process.kill(worker.pid, 'SIGSTOP')
    const failed = Promise.all(failing.map(({ wanted, id }) => failDeploy(wanted, id)))
    await failed.finally(() => process.kill(worker.pid, 'SIGCONT'))
    const outcome = /^(ReleaseLost|ProvisionFailed|NotRolledBack): /
    for (const { wanted } of failing) {
      attempted.push({ ...wanted, metadata: { name: wanted.metadata.name, namespace: systemNamespace } })
      await untilSaid('SvcApp', wanted.metadata.name, outcome)
    }
  }

  async function makeFailing({ project, foreign, id }: Try): Promise<{ wanted: App; id: string }> {
    const wanted = await createApp(records, { metadata: { name: project } } as never, {
      deploy: { enabled: true, rollbackOnFailure: true },
    })
    await records.client.create(resourceTypes.deployment, {
      apiVersion,
      kind: resourceTypes.deployment.kind,
      metadata: {
        name: `good-${id}`,
        namespace: systemNamespace,
        annotations: { [annotations.release]: foreign, [annotations.releaseSpec]: JSON.stringify(wanted.spec) },
      },
      spec: { app: wanted.metadata.name, project, environment: 'production', image: 'svc/hello:1' },
    } as KubeObject)
    return { wanted, id }
  }

  async function failDeploy({ metadata: { name }, spec }: App, id: string): Promise<void> {
    const attempt = {
      record: `failed-${id}`,
      operation: 'deploy',
      actor: 'x',
      requestId: '',
      title: 'x',
      at: '2026-01-01T00:00:00Z',
    }
    const app = await records.apps.edit(name, (current) => ({
      ...current,
      metadata: {
        ...current.metadata,
        annotations: {
          [annotations.attempt]: JSON.stringify(attempt),
          [annotations.lastDeployed]: JSON.stringify(spec),
        },
      },
    }))
    const intent = viewOf(app ?? expect.fail('it is gone')).intent
    const lastAttempt = { id: attempt.record, phase: 'Failed', summary: 'x' }
    const status = { observedIntent: intent, acceptedIntent: intent, release: `good-${id}`, lastAttempt }
    await writesStatus(name, status)
  }

  async function untilAllRefused(): Promise<void> {
    for (const { id } of tries) {
      await untilSaid('SvcApp', `vars-${id}`, /^Refused: the secret variables cannot be read/)
      await untilSaid(
        'SvcApp',
        `shared-${id}`,
        /^Refused: the shared variable TAKEN names a Secret that is not this project's/,
      )
      await untilSaid('SvcApp', `own-${id}`, /^(Refused: the secret variables cannot be read|Ready)/)
      await untilSaid('SvcApp', `att-${id}`, /the frozen secrets of release \S+ are gone/)
      await untilSaid(
        'SvcApp',
        `pushing-${id}`,
        /the login of the registry, Secret \S+ .*is not there for this project/,
      )
      await untilSaid('SvcCloudConnection', `conn-${id}`, /^CredentialsIncomplete: /)
      await untilSaid('SvcCloudConnection', `planet-${id}`, /^CredentialsIncomplete: /)
      await untilSaid('SvcDatabase', `ext-${id}`, /waiting for a Secret/)
      await untilSaid('SvcDatabase', `else-${id}`, /is not scoped to this project|has the wrong provider/)
      await untilSaid('SvcObjectStore', `store-${id}`, /is not scoped to this project/)
    }
    await untilSaid('SvcApp', `pushing-anywhere-${mark}`, /the login of the registry, Secret \S+ .*lacks the label/)
    for (const { foreign } of tries) {
      const patch = JSON.stringify({ spec: { cloudflareConnectionRef: { name: foreign } } })
      await asWriter('patch', 'svcplatformconfig', 'platform', '-n', systemNamespace, '--type=merge', '-p', patch)
      await eventually(
        `the platform refuses ${foreign}`,
        async () => (await platformSays()).includes(`Secret ${foreign} lacks the label`),
        waitMs,
      )
    }
  }

  async function platformSays(): Promise<string> {
    const { status } = (await records.client.get<Said>(inSystem(resourceTypes.platformConfig, 'platform'))) ?? {}
    return JSON.stringify(status?.conditions ?? [])
  }

  async function askTheApi(): Promise<void> {
    const as = { token }
    const admin = { token: await api.token({ role: 'admin' }) }
    for (const { id, naming } of tries) {
      for (const name of [`vars-${id}`, `own-${id}`]) {
        const set = await api.ask('POST', `/api/v1/apps/${name}/secrets/set`, {
          ...as,
          json: { key: 'password', value: 'mine' },
        })
        expect([set.status, name]).to.deep.equal([400, name])
        expect(
          (await api.ask('POST', `/api/v1/apps/${name}/secrets/delete`, { ...as, json: { key: 'password' } })).status,
        ).to.equal(400)
        expect((await api.ask('GET', `/api/v1/apps/${name}/variables`, as)).status).to.equal(400)
        expect((await api.ask('POST', `/api/v1/apps/${name}/deploy`, as)).status).to.equal(400)
      }
      const variable = { name: 'MINE', environment: '', value: 'x', secret: true }
      expect(
        (await api.ask('POST', `/api/v1/projects/${naming}/variables/save`, { ...admin, json: variable })).status,
      ).to.equal(400)
      expect(
        (await api.ask('POST', `/api/projects/${naming}/webhooks/rotate`, { ...admin, form: { id: 'planted' } }))
          .status,
      ).to.equal(400)
      const tested = await api.ask('POST', `/api/projects/${naming}/webhooks/test`, {
        ...admin,
        form: { id: 'planted' },
      })
      expect(tested.body.delivery?.error).to.equal('the webhook has no signing secret; rotate it')
      for (const path of [
        `/databases/ext-${id}/connection?reveal=true`,
        `/logical-databases/logical-${id}/connection?reveal=true`,
      ])
        expect((await api.ask('GET', `/api/v1${path}`, admin)).text).not.to.include(mark + '-of')
    }
  }

  async function removeAll(): Promise<void> {
    await api.ask('POST', `/api/projects/${tries[0]?.naming}/webhooks/delete`, {
      token: await api.token({ role: 'admin' }),
      form: { id: 'planted' },
    })
    const going = attempted.filter(({ kind }) => kind !== resourceTypes.project.kind)
    await writerDoes(folder, 'delete', going, '--ignore-not-found', '--wait=true', '--timeout=120s')
    await asWriter('delete', 'svcapp', `kept-${mark}`, '-n', systemNamespace, '--timeout=60s')
    await writerDoes(
      folder,
      'delete',
      attempted.filter(({ kind }) => kind === resourceTypes.project.kind),
      '--timeout=120s',
    )
  }

  async function expectUntouched(): Promise<void> {
    for (const secret of planted) {
      const { name } = secret.metadata
      const now = await records.client.get<Secret>(inSystem(coreTypes.secret, name))
      expect([name, now?.metadata.resourceVersion, now?.metadata.uid]).to.deep.equal([
        name,
        secret.metadata.resourceVersion,
        secret.metadata.uid,
      ])
    }
    for (const { foreign } of tries) {
      const log = await records.client.get<Secret>(inSystem(coreTypes.configMap, `${foreign}-log`))
      expect(log?.data, `${foreign}-log`).to.deep.equal({ steps: 'of another owner' })
    }
    const own = new Set(planted.map(({ metadata }) => metadata.uid))
    const types = [
      coreTypes.secret,
      coreTypes.configMap,
      coreTypes.deployment,
      coreTypes.event,
      ...Object.values(resourceTypes),
    ]
    const copies = planted.flatMap(({ metadata }) => [
      secretValue(metadata.name),
      Buffer.from(secretValue(metadata.name)).toString('base64'),
    ])
    for (const type of types) {
      const { items } = await records.client.list<KubeObject>(type, {})
      for (const object of items.filter(({ metadata }) => !own.has(metadata.uid))) {
        const text = JSON.stringify(object)
        const found = copies.filter((copy) => text.includes(copy))
        expect(found, `${object.kind ?? type.kind} ${object.metadata.name}`).to.deep.equal([])
      }
    }
    // The api checks the connection of the other project with that connection's own keys.
    const sent = copies.filter((copy) => !copy.includes('theirs-') && recorder.received().includes(copy))
    expect(sent).to.deep.equal([])
    expect(recorder.received()).not.to.include('webhook-signature')
    expect(JSON.stringify(api.logLines())).not.to.include(`value-${mark}`)
  }
})
