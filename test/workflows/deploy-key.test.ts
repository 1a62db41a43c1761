/** A service whose repository is read over ssh: its build gets the deploy key, and keeps the host key that it met. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { textsOf } from '../../cluster/objects/secret-data.ts'
import { workflowId } from '../../durable/ids.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { readDeployKey, rotateDeployKey } from '../../records/secrets/deploy-key.ts'
import { createProject, deploy, type TestRecords, untilGone, untilState, useRecords } from '../harness/records.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import {
  builderEnv,
  createGitApp,
  digest,
  historyOf,
  playBuild,
  revision,
  secretOf,
  untilCleaned,
  untilPhase,
} from './build-world.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

const repository = 'git@git.example.test:team/web.git'
const metHosts = 'git.example.test ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA==\n'

describe('a service whose repository is read over ssh', function () {
  this.timeout(60_000)
  let records: TestRecords
  let project: Project
  let worker: TestWorker
  const workerLog: string[] = []

  before(async function () {
    this.timeout(180_000)
    await withoutWorker()
    worker = await startTestWorker({}, 'temporal/main.ts', builderEnv, (line) => void workerLog.push(line))
    records = await useRecords()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(() => worker?.stop('SIGKILL'))

  const begun = async (app: App): Promise<{ attempt: string; build: Build }> => {
    const attempt = attemptIn(await deploy(records, app))
    return { attempt, build: await untilPhase(records, attempt, 'Running') }
  }
  const ends = async (app: App, { attempt, build }: { attempt: string; build: Build }, hosts: string) => {
    const clone = { revision, hosts: Buffer.from(hosts).toString('base64') }
    await playBuild(records, build, {
      clone: { message: JSON.stringify(clone) },
      build: { message: JSON.stringify({ digest }) },
    })
    await untilState(records, app, 'ready', attempt)
    await untilCleaned(records, attempt)
  }
  const givenTo = async (build: Build) =>
    textsOf((await secretOf(records, build)) as { data?: Record<string, string> } | undefined)
  const keyRef = (app: App) => ({
    type: coreTypes.secret,
    namespace: systemNamespace,
    name: `${app.metadata.name}-deploy-key`,
  })
  const privateOf = async (app: App) =>
    textsOf(await records.client.get<KubeObject & { data?: Record<string, string> }>(keyRef(app)))['ssh-privatekey']

  it('is built with its deploy key, which is seen nowhere and goes with it', async () => {
    const app = await createGitApp(records, project, { repository })
    await rotateDeployKey(records.client, app)
    const first = await begun(app)
    const key = (await privateOf(app)) ?? ''
    const given = await givenTo(first.build)
    expect([given['git-ssh-privatekey'], 'git-known_hosts' in given]).to.deep.equal([key, false])
    await ends(app, first, metHosts)
    expect((await readDeployKey(records.client, app))?.hosts).to.equal(metHosts)

    const second = await begun(app)
    expect((await givenTo(second.build))['git-known_hosts'], 'only that host from then on').to.equal(metHosts)
    await ends(app, second, 'elsewhere.example.test ssh-ed25519 AAAA\n')
    expect((await readDeployKey(records.client, app))?.hosts).to.equal(metHosts)

    const histories = await Promise.all([
      historyOf(workflowId('build', first.attempt)),
      historyOf(workflowId('app', app.metadata.name)),
    ])
    const seen = JSON.stringify([
      histories,
      workerLog,
      await records.builds.readLive(first.attempt),
      await records.client.list(coreTypes.event, {}),
    ])
    const lines = key.split('\n').filter((line) => line.length > 30 && !line.includes('OPENSSH'))
    expect(lines.filter((line) => seen.includes(line))).to.deep.equal([])
    expect(lines.length).to.be.greaterThan(2)

    await records.apps.remove(app.metadata.name, app.metadata.uid ?? '')
    await untilGone(records, app)
    expect(await records.client.get(keyRef(app))).to.equal(undefined)
  })

  it('keeps no host key of a build whose key was replaced meanwhile', async () => {
    const app = await createGitApp(records, project, { repository })
    await rotateDeployKey(records.client, app)
    const open = await begun(app)
    await rotateDeployKey(records.client, app)
    await ends(app, open, metHosts)
    expect((await readDeployKey(records.client, app))?.hosts).to.equal('')
  })

  it('is read with no key where its address is one of http', async () => {
    const app = await createGitApp(records, project)
    await rotateDeployKey(records.client, app)
    const open = await begun(app)
    expect(Object.keys(await givenTo(open.build)).filter((key) => key.startsWith('git-'))).to.deep.equal([])
    await ends(app, open, '')
  })
})
