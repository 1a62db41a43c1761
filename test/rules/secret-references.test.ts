/**
 * A caller who may write records and no Secrets reaches no Secret through a record: every field that names one is
 * tried, with the api and the worker running.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import {
  anyOf,
  isCloudKeysOf,
  isExternalLoginOf,
  isHandMadeFor,
  isLeftBy,
  isMadeFor,
  isMadeIn,
  isPlatformSetting,
  secretPurposes,
} from '../../kinds/secrets/named-secret.ts'
import { createConnection } from '../../records/cloud-connections/create-connection.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { createProject, type TestRecords, useRecords } from '../harness/records.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { untilSetUp } from '../workflows/service-world.ts'
import { type Planted, plantIn } from './planted-secrets.ts'
import { type Recorder, startRecorder } from './recorder.ts'
import { annotationCases, type Attempted, cases, ownName, type Try } from './secret-cases.ts'
import { secretPaths } from './secret-paths.ts'
import { untilAllRefused, untilSaid } from './secret-refusals.ts'
import { pruneHistory, rollBack } from './secret-releases.ts'
import {
  asWriter,
  type Foreigner,
  foreigners,
  grantWriter,
  judged,
  keys,
  mark,
  revokeWriter,
  secretValue,
  writerDoes,
} from './secret-world.ts'

describe('a caller who may write records and no Secrets', function () {
  this.timeout(300_000)
  let records: TestRecords
  let api: TestApi
  let worker: TestWorker
  let recorder: Recorder
  let folder = ''
  let tries: Try[]
  let planted: Planted
  let attempted: Attempted[]
  let services: string[]
  let token = ''

  before(async () => {
    records = await useRecords()
    planted = plantIn(records.client)
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
    await planted.remove()
    await Promise.all([api.stop(), worker.stop(), recorder.stop()])
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

  it('names no Secret of another owner that any rule takes for its own', () => {
    const place = { project: 'mine', environment: 'production' }
    const rules = [
      ...Object.values(secretPurposes).flatMap((purpose) => [
        isMadeFor('uid', purpose),
        isMadeIn(place, purpose),
        isLeftBy('service', purpose),
      ]),
      isHandMadeFor('mine'),
      isCloudKeysOf('mine'),
      isExternalLoginOf({ project: 'mine', database: 'db' }),
      isPlatformSetting,
    ]
    const all = foreigners('theirs')
    const taken = Object.entries(all).filter(([, own]) => anyOf(...rules)({ metadata: { labels: own } }))
    expect(taken).to.deep.equal([])
    expect([...new Set<string>(Object.values(judged).flat())].toSorted()).to.deep.equal(Object.keys(all).toSorted())
  })

  it('has nothing read, copied, sent, overwritten or deleted by naming it', async () => {
    await prepareTries()
    await writeRecords()
    await untilAllRefused(records.client, tries, attempted)
    await askTheApi()
    await planted.expectUntouched({ recorder, api })
    await removeAll()
    await planted.expectUntouched({ recorder, api })
  })

  async function prepareTries(): Promise<void> {
    const [mine, theirs] = [await createProject(records), await createProject(records)]
    await Promise.all([untilSetUp(records, mine), untilSetUp(records, theirs)])
    token = await api.token({ scope: 'project', project: mine.metadata.name, environment: 'production' })
    const connection = `theirs-${mark}`
    await createConnection(records, {
      name: connection,
      provider: 'AWS',
      project: theirs.metadata.name,
      region: '',
      organization: '',
      keys: Object.fromEntries(keys.map((key) => [key, secretValue(`${connection}-credentials`)])),
    })
    await planted.add(`${connection}-credentials`)
    tries = []
    const all = Object.entries(foreigners(theirs.metadata.name)) as [Foreigner, Record<string, string>][]
    for (const [number, [what, own]] of all.entries()) {
      const id = `${what}-${mark}`
      const naming = `proj-${mark.slice(0, 6)}${String(number).padStart(2, '0')}`
      const { name: project } = mine.metadata
      tries.push({ what, project, naming, kept: `kept-${mark}`, foreign: id, connection, port: recorder.port, id })
      await planted.secret(id, own)
      await planted.log(`${id}-log`)
      // Names that svc gives to its own Secrets, taken by Secrets that do not belong to the record.
      for (const name of [`own-${id}-secrets`, `${naming}-webhook-planted`, `${naming}-shared`])
        await planted.secret(name, own)
    }
  }

  /** The records of all cases, each once for every Secret that it meets. */
  function attempts(): Attempted[] {
    const makers = [...Object.values(cases), ...Object.values(annotationCases)].flatMap((each) =>
      typeof each === 'string' ? [] : each,
    )
    const made = [...new Set([...makers, ownName])].flatMap((make) =>
      tries.filter(({ what }) => make.meets.includes(what)).map((wanted) => make(wanted)),
    )
    // Of two cases in one record the later has the status as well.
    return [...new Map(made.map((object) => [`${object.kind}/${object.metadata.name}`, object])).values()]
  }

  async function writeRecords(): Promise<void> {
    attempted = attempts()
    const written = attempted.map(({ status: _, ...object }) => object)
    await writerDoes(folder, 'apply', written)
    const withStatus = attempted.filter(({ status }) => status !== undefined)
    for (const { kind, metadata, status } of withStatus) {
      const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]
      await asWriter('patch', kind, metadata.name, '-n', systemNamespace, ...patch)
    }
    await pruneHistory(records, tries)
    services = await rollBack(records, worker, tries)
    for (const name of services)
      await untilSaid(records.client, 'SvcApp', name, /^(ReleaseLost|ProvisionFailed|NotRolledBack): /)
  }

  const isWritten = (kind: keyof typeof resourceTypes, name: string): boolean =>
    attempted.some((each) => each.kind === resourceTypes[kind].kind && each.metadata.name === name)

  async function askTheApi(): Promise<void> {
    const admin = { token: await api.token({ role: 'admin' }) }
    for (const { id, naming } of tries) {
      for (const name of [`vars-${id}`, `own-${id}`]) if (isWritten('app', name)) await askForVariables(name)
      if (isWritten('project', naming)) await askForProject(naming)
      for (const [kind, path, name] of [
        ['database', 'databases', `ext-${id}`],
        ['logicalDatabase', 'logical-databases', `logical-${id}`],
      ] as const) {
        if (!isWritten(kind, name)) continue
        const answer = await api.ask('GET', `/api/v1/${path}/${name}/connection?reveal=true`, admin)
        expect(answer.text).not.to.include(mark + '-of')
      }
    }
  }

  async function askForVariables(name: string): Promise<void> {
    const as = { token }
    const path = `/api/v1/apps/${name}`
    const set = await api.ask('POST', `${path}/secrets/set`, { ...as, json: { key: 'password', value: 'mine' } })
    expect([set.status, name]).to.deep.equal([400, name])
    expect((await api.ask('POST', `${path}/secrets/delete`, { ...as, json: { key: 'password' } })).status).to.equal(400)
    expect((await api.ask('GET', `${path}/variables`, as)).status).to.equal(400)
    expect((await api.ask('POST', `${path}/deploy`, as)).status).to.equal(400)
  }

  async function askForProject(naming: string): Promise<void> {
    const admin = { token: await api.token({ role: 'admin' }) }
    const json = { name: 'MINE', environment: '', value: 'x', secret: true }
    const saved = await api.ask('POST', `/api/v1/projects/${naming}/variables/save`, { ...admin, json })
    expect(saved.status).to.equal(400)
    const ofWebhook = { ...admin, form: { id: 'planted' } }
    expect((await api.ask('POST', `/api/projects/${naming}/webhooks/rotate`, ofWebhook)).status).to.equal(400)
    const tested = await api.ask('POST', `/api/projects/${naming}/webhooks/test`, ofWebhook)
    expect(tested.body.delivery?.error).to.equal('the webhook has no signing secret; rotate it')
  }

  async function removeAll(): Promise<void> {
    const isProject = ({ kind }: Attempted) => kind === resourceTypes.project.kind
    const projects = attempted.filter(isProject)
    await api.ask('POST', `/api/projects/${projects[0]?.metadata.name}/webhooks/delete`, {
      token: await api.token({ role: 'admin' }),
      form: { id: 'planted' },
    })
    const going = attempted.filter((object) => !isProject(object))
    await writerDoes(folder, 'delete', going, '--ignore-not-found', '--wait=true', '--timeout=360s')
    await asWriter('delete', 'svcapp', ...services, `kept-${mark}`, '-n', systemNamespace, '--timeout=180s')
    await writerDoes(folder, 'delete', projects, '--timeout=360s')
  }
})
