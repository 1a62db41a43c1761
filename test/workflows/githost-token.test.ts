/** Repositories of the git host are read with a token of its app, fetched for one build and stored nowhere else. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { workflowId } from '../../durable/ids.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { buildsNamespace } from '../../kinds/builds/names.ts'
import { eventually } from '../cluster/eventually.ts'
import { createProject, deploy, untilState } from '../harness/records.ts'
import { startTestWorker, type TestWorker } from '../harness/worker.ts'
import { createGitApp, historyOf, jobOf, playSuccess, secretOf, untilCleaned, untilPhase } from './build-world.ts'
import { type GitHostWorld, openGitHostWorld, workerEnv } from './git-host-world.ts'
import { attemptIn, stepsOf, untilSetUp } from './service-world.ts'

describe('a repository of the git host', function () {
  this.timeout(60_000)
  let world: GitHostWorld
  let worker: TestWorker
  const workerLog: string[] = []

  before(async function () {
    this.timeout(180_000)
    world = await openGitHostWorld(async (github) => {
      worker = await startTestWorker({}, 'temporal/main.ts', workerEnv(github), (line) => void workerLog.push(line))
    })
  })
  after(async () => {
    await world?.close()
    await worker?.stop('SIGKILL')
  })
  afterEach(() => {
    world.github.refuseWith = undefined
  })

  const begun = async (app: App): Promise<{ attempt: string; build: Build }> => {
    const attempt = attemptIn(await deploy(world.records, app))
    return { attempt, build: await untilPhase(world.records, attempt, 'Running') }
  }
  const tokenOf = async (build: Build): Promise<string> => {
    const { data = {} } = (await secretOf(world.records, build)) as { data?: Record<string, string> }
    return Buffer.from(data['git-token'] ?? '', 'base64').toString()
  }
  const addressOf = async (build: Build): Promise<string | undefined> =>
    (await jobOf(world.records, build))?.spec?.template.spec.containers[0]?.env.find(
      ({ name }) => name === 'REPOSITORY',
    )?.value
  const finish = async (app: App, attempt: string, build: Build): Promise<void> => {
    await playSuccess(world.records, build)
    await untilState(world.records, app, 'ready', attempt)
    await untilCleaned(world.records, attempt)
  }

  it('is read with a token of that one repository, which goes with the build and is seen nowhere', async () => {
    const { records, github, project } = world
    const app = await createGitApp(records, project, { repository: 'Acme/web' })
    const { attempt, build } = await begun(app)
    const token = await tokenOf(build)
    expect(github.grants.get(token)).to.deep.equal({
      installation: world.installation,
      repositories: ['web'],
      permissions: { contents: 'read' },
    })
    expect(await addressOf(build)).to.equal(`${github.url}/Acme/web.git`)
    const during = [
      await jobOf(records, build),
      await records.client.list(coreTypes.pod, { namespace: buildsNamespace }),
    ]
    await finish(app, attempt, build)
    expect(await secretOf(records, build)).to.equal(undefined)
    const histories = await Promise.all([
      historyOf(workflowId('build', attempt)),
      historyOf(workflowId('app', app.metadata.name)),
    ])
    expect(Math.min(...histories.map(({ length }) => length))).to.be.greaterThan(1000)
    const after = [
      await records.client.list(coreTypes.event, {}),
      await records.builds.readLive(attempt),
      await records.apps.readLive(app.metadata.name),
      await stepsOf(records, attempt),
    ]
    const seen = JSON.stringify([during, histories, after, workerLog])
    expect(workerLog.length).to.be.greaterThan(0)
    for (const form of [token, Buffer.from(token).toString('base64').replace(/=+$/, '')])
      expect(seen).not.to.include(form)
  })

  it('is read by https with it also where its address is one of ssh', async () => {
    const { records, github, project } = world
    const app = await createGitApp(records, project, {
      repository: `ssh://git@${new URL(github.url).host}/acme/web.git`,
    })
    const { attempt, build } = await begun(app)
    expect(github.grants.has(await tokenOf(build))).to.equal(true)
    expect(await addressOf(build)).to.equal(`${github.url}/acme/web.git`)
    await finish(app, attempt, build)
  })

  it('is fetched without a login where the installation was not given it, and the log says so', async () => {
    const { records, project } = world
    const app = await createGitApp(records, project, { repository: 'acme/public' })
    const { attempt, build } = await begun(app)
    expect(await tokenOf(build)).to.equal('')
    await finish(app, attempt, build)
    expect(await stepsOf(records, attempt)).to.match(
      /gives no token for acme\/public, so it is fetched without a login: 422: There is at least one repository/,
    )
  })

  it('asks for no token where the environment is not connected', async () => {
    const { records, github } = world
    const other = await createProject(records)
    await untilSetUp(records, other)
    const before = github.tokens.size
    const app = await createGitApp(records, other, { repository: 'acme/web' })
    const { attempt, build } = await begun(app)
    expect([await tokenOf(build), github.tokens.size]).to.deep.equal(['', before])
    await finish(app, attempt, build)
  })

  it('waits for a git host that is away, and goes on when it is back', async () => {
    const { records, github, project } = world
    const app = await createGitApp(records, project, { repository: 'acme/web' })
    github.refuseWith = 503
    const attempt = attemptIn(await deploy(records, app))
    const says = async () => (await records.builds.readLive(attempt))?.status?.message ?? ''
    await eventually(
      'it waits',
      async () => (await says()).startsWith('waiting for the git host to give a token: 503'),
      25_000,
    )
    github.refuseWith = undefined
    const build = await untilPhase(records, attempt, 'Running')
    expect(github.grants.has(await tokenOf(build))).to.equal(true)
    await finish(app, attempt, build)
  })
})
