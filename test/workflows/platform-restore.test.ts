/** A rehearsed recovery: a backup of the platform is brought back into an empty cluster, whose worker runs already. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type ClusterClient, connectCluster, type ConnectedCluster } from '../../cluster/client.ts'
import { ClusterError } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { textsOf } from '../../cluster/objects/secret-data.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { type BackupArchive, backupArchiveSpec } from '../../kinds/backup-archives/kind.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import { type ObjectStore, objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import { startStack, type Stack } from '../../one-machine/index.ts'
import { startTestApi, type TestApi, testUsers } from '../api/test-api.ts'
import { type Desk, openDesk, type Run } from '../cli/run-svc.ts'
import { eventually } from '../cluster/eventually.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { createApp, deploy, untilState } from '../harness/records.ts'
import { logProgress } from '../harness/servers.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { openWorld, type ServiceWorld } from './service-world.ts'

const waitMs = 60_000
const secretText = 'sesame-of-the-restore'
const freshPassword = 'another-cluster-42'

describe('a backup of the platform', function () {
  this.timeout(240_000)
  let world: ServiceWorld
  let folder = ''
  let desk: Desk
  let api: TestApi
  let app: App
  let draft: App
  let database: string
  let bucket: string
  let token = ''
  let recipient = ''
  let other: Stack
  let there: ConnectedCluster
  let worker: TestWorker

  const file = (name: string): string => join(folder, name)
  const at = <T extends KubeObject>(client: ClusterClient, type: ResourceType, name: string, namespace = systemNamespace) =>
    client.get<T>({ type, namespace, name }) // prettier-ignore
  const svc = (baseUrl: string, password: string, ...args: string[]): Promise<Run> =>
    desk.svc(['--url', baseUrl, 'platform', ...args], { env: { SVC_PASSWORD: password } })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-recovery-'))
    desk = await openDesk()
    const starting = startStack({ cluster: 'simulated', dataDir: folder, progress: logProgress, nodes: 1 })
    // The backup is of all that is there: what other files left would come back, too.
    await withoutWorker()
    await forgetRecords()
    world = await openWorld()
    api = await startTestApi()
    await makeRecords()
    other = await starting
    there = connectCluster({ kubeconfig: other.kubeconfig ?? '' })
    worker = await startTestWorker({}, 'temporal/main.ts', {
      KUBECONFIG: other.kubeconfig ?? '',
      SVC_TEMPORAL_ADDRESS: other.temporalAddress,
    })
  })
  after(async () => {
    await worker?.stop('SIGKILL')
    await there?.close()
    await other?.stop()
    await Promise.all([api.stop(), desk.close()])
    await rm(folder, { recursive: true, force: true })
  })

  async function makeRecords(): Promise<void> {
    const { records, project } = world
    app = await createApp(records, project, { replicas: 2 })
    draft = await createApp(records, project)
    token = await api.token({ name: 'ci', scope: 'workspace', role: 'admin' })
    const set = await api.ask('POST', `/api/apps/${app.metadata.name}/secrets/set`, {
      cookie: await api.signIn('admin'),
      form: { key: 'WORD', value: secretText },
    })
    expect(set.status, set.text).to.equal(200)
    app = await untilState(records, await deploy(records, app), 'ready')
    database = (await makeDatabase()).metadata.name
    bucket = (await makeBucket()).metadata.name
  }

  /** A database that is deployed, and a backup of it that was stored and read back. */
  async function makeDatabase(): Promise<Database> {
    const { records, project } = world
    const place = { project: project.metadata.name, environment: 'production' }
    const name = `${app.metadata.name}-db`
    const made = await records.databases.create({
      apiVersion,
      kind: resourceTypes.database.kind,
      metadata: { name, namespace: systemNamespace },
      spec: databaseSpec.parse({ ...place, deploy: { enabled: true } }),
    })
    await keepBackup(made, { engine: 'postgres' })
    return made
  }

  /** A backup of it, of that moment, that was stored and read back. */
  async function keepBackup({ metadata: { name, uid }, spec }: Database | ObjectStore, of: object): Promise<void> {
    const { records } = world
    const point = '2026-11-24T05:00:00Z'
    const stored = {
      checksum: 'c'.repeat(64),
      size: 1,
      firstRestorePoint: point,
      lastRestorePoint: point,
      lastBackupAt: point,
    }
    await records.backupArchives.create({
      apiVersion,
      kind: resourceTypes.backupArchive.kind,
      metadata: {
        name: `${name}-20261124-050000`,
        namespace: systemNamespace,
        annotations: { [annotations.stored]: JSON.stringify(stored) },
      },
      spec: backupArchiveSpec.parse({
        project: spec.project,
        environment: spec.environment,
        database: name,
        databaseUid: uid,
        connectionRef: { name: 'far' },
        bucket: 'backups',
        path: 'svc-backups/x',
        ...of,
      }),
    })
    await eventually('the backup is whole', async () => {
      const archive = await at<BackupArchive>(records.client, resourceTypes.backupArchive, `${name}-20261124-050000`)
      return archive?.status?.checksum === stored.checksum
    }, waitMs) // prettier-ignore
  }

  /** A bucket that began with an older backup, which is gone, and has one of its own. */
  async function makeBucket(): Promise<ObjectStore> {
    const { records, project } = world
    const made = await records.objectStores.create({
      apiVersion,
      kind: resourceTypes.objectStore.kind,
      metadata: { name: `${app.metadata.name}-media`, namespace: systemNamespace },
      spec: objectStoreSpec.parse({
        project: project.metadata.name,
        environment: 'production',
        engine: 'Local',
        buckets: ['media'],
        restoreFrom: { archive: 'gone' },
        deploy: { enabled: true },
      }),
    })
    await keepBackup(made, { databaseKind: 'ObjectStore', engine: 'bucket', buckets: ['media'] })
    return made
  }

  /** What came back on the other cluster. */
  const recovered = async (): Promise<App> => {
    let found: App | undefined
    await eventually(
      `${app.metadata.name} is ready on the other cluster`,
      async () => {
        found = await at<App>(there, resourceTypes.app, app.metadata.name)
        return found !== undefined && appState(found).state === 'ready'
      },
      waitMs,
    )
    return found as App // eventually throws otherwise
  }

  it('POST /platform/backup is one sealed file, of which nothing is in the log', async () => {
    const key = await svc(api.baseUrl, '', 'key', file('key'))
    recipient = key.out.trim()
    expect(recipient).to.match(/^age1/)
    const { code, out, err } = await svc(
      api.baseUrl,
      testUsers.admin.password,
      'backup',
      file('b.age'),
      '--for',
      recipient,
    )
    expect([code, /^[0-9a-f]{64} {2}/.test(out)], err).to.deep.equal([0, true])
    const checked = await svc(api.baseUrl, '', 'check', file('b.age'), '--key', file('key'))
    expect(checked.out).to.include('SvcApp:')
    expect(JSON.stringify(api.logLines())).to.include(recipient).and.not.include(secretText)
  })

  it('POST /platform/restore brings it back, however often it is cut short, and the workflows bring back what runs', async () => {
    let writesLeft = Number.POSITIVE_INFINITY
    const fragile = { ...there, create: faulty(there.create), replace: faulty(there.replace) }
    function faulty(write: ClusterClient['create']): ClusterClient['create'] {
      return async (type, object, options) => {
        writesLeft -= 1
        if (writesLeft > 0) return write(type, object, options)
        // The write that is cut off has happened every second time.
        if (cuts.length % 2 === 0) await write(type, object, options)
        throw new ClusterError(500, 'InternalError', 'cut off')
      }
    }
    const cuts: number[] = []
    const users = JSON.stringify([{ ...testUsers.admin, password: freshPassword }])
    const fresh = await startTestApi({ client: fragile, env: { SVC_DASHBOARD_USERS: users } })
    try {
      const restore = (password: string) => svc(fresh.baseUrl, password, 'restore', file('b.age'), '--key', file('key'))
      let password: string = freshPassword
      // The next one comes two writes further than the one before.
      for (let code = 1; code !== 0 && cuts.length < 200;) {
        writesLeft = 2
        const run = await restore(password)
        // The users came back with a write whose answer was lost: their passwords hold from then on.
        if (run.code === 4) password = testUsers.admin.password
        code = run.code
        if (code !== 0) cuts.push(code)
        expect(run.out + run.err).not.to.include(secretText)
        if (code === 0)
          for (const each of [`database ${database}`, `bucket ${bucket}`])
            expect(run.out).to.include(`${each} begins with backup ${each.split(' ')[1]}-20261124-050000`)
      }
      expect(cuts).to.have.length.within(4, 199)
      expect(JSON.stringify(fresh.logLines())).not.to.include(secretText)
    } finally {
      await fresh.stop()
    }
    const back = await recovered()
    expect(back.metadata.uid).not.to.equal(app.metadata.uid)
    expect(viewOf(back).attempt?.record).to.equal(viewOf(app).attempt?.record)
  })

  it('gives what runs its secrets, its history and its owner there', async () => {
    const back = await recovered()
    const { name, uid = '' } = back.metadata
    const { items } = await there.list<KubeObject & { data?: Record<string, string> }>(coreTypes.secret, {
      labelSelector: `${labels.owner}=${uid}`,
    })
    const frozen = items.filter((secret) => textsOf(secret)['WORD'] === secretText).map(({ metadata }) => metadata.namespace) // prettier-ignore
    expect(frozen).to.include.members([systemNamespace, `${back.spec.project}-production`])
    const history = await at<KubeObject>(there, resourceTypes.deployment, viewOf(back).attempt?.record ?? '')
    expect(history?.metadata.labels?.[labels.owner]).to.equal(uid)
    const log = await readAttemptLog(there, history?.metadata.name ?? '')
    expect(log?.steps.join('\n')).to.match(/accepted: .*\n[^]*applying release/)
    expect(log?.steps.at(-1)).to.equal(`${app.status?.lastAttempt?.completedAt} Succeeded: 2 of 2 copies ready`)
    expect((await at<App>(there, resourceTypes.app, draft.metadata.name))?.spec.deploy.enabled).to.equal(false)
    expect(back.metadata.annotations).not.to.have.property(annotations.restoring)
    expect(name).to.equal(app.metadata.name)
  })

  it('begins a database and a bucket with their newest backups, which are whole without being stored again', async () => {
    const live = await at<Database>(there, resourceTypes.database, database)
    expect(live?.spec).to.deep.include({
      restoreFrom: { archive: `${database}-20261124-050000`, point: '2026-11-24T05:00:00Z' },
    })
    const store = await at<ObjectStore>(there, resourceTypes.objectStore, bucket)
    expect(store?.spec).to.deep.include({ restoreFrom: { archive: `${bucket}-20261124-050000` } })
    await eventually('the backup is whole there', async () => {
      const archive = await at<BackupArchive>(there, resourceTypes.backupArchive, `${database}-20261124-050000`)
      return archive?.status?.checksum === 'c'.repeat(64)
    }, waitMs) // prettier-ignore
  })

  it('brings users and tokens back, and nothing again once it is done', async () => {
    const again = await startTestApi({ client: there })
    try {
      expect((await again.ask('GET', '/api/v1/me', { token })).status).to.equal(200)
      expect((await svc(again.baseUrl, freshPassword, 'restore', file('b.age'), '--key', file('key'))).code).to.equal(4)
      const { code, out } = await svc(
        again.baseUrl,
        testUsers.admin.password,
        'restore',
        file('b.age'),
        '--key',
        file('key'),
      )
      expect(code).to.equal(0)
      expect(out).to.include(': 0 objects written')
    } finally {
      await again.stop()
    }
  })

  it('is refused where other projects are, and leaves those alone', async () => {
    const { code, err } = await svc(
      api.baseUrl,
      testUsers.admin.password,
      'restore',
      file('b.age'),
      '--key',
      file('key'),
    )
    expect(code).to.equal(1)
    expect(err).to.include('restore into an empty cluster')
  })
})
