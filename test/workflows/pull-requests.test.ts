/** Pull requests from the signed delivery to the copies that run their commits, and to nothing that is left. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { appState } from '../../kinds/apps/state.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { eventually } from '../cluster/eventually.ts'
import { until, untilState } from '../harness/records.ts'
import { untilClosed, untilCopy, usePullRequestWorld } from './pull-request-world.ts'
import { attemptIn, liveDeployment } from './service-world.ts'

const [first, second] = ['1'.repeat(40), '2'.repeat(40)]
const waitMs = 25_000

describe('the environment of a pull request', function () {
  this.timeout(120_000)
  const world = usePullRequestWorld()

  const makeBase = () => world().makeBase()
  const untilRuns = (built: App, environment: string, commit: string) => world().untilRuns(built, environment, commit)

  it('is made with it, follows its commits, and goes with it, reported in one comment', async () => {
    const { records, happens, saidOn } = world()
    const { project, repository, built, plain } = await makeBase()
    expect((await happens(repository, 7, first)).body).to.deep.equal({ ok: true, outcome: 'started' })

    const copy = await untilRuns(built, 'pr-7', first)
    expect(copy.status?.image).to.contain(first.slice(0, 12))
    const image = await untilCopy(records, plain, 'pr-7', (it) => appState(it).state === 'ready', 'ready')
    expect(image.spec.env).to.deep.equal([{ name: 'PEER', value: `http://${copy.metadata.name}:8080` }])
    expect(await liveDeployment(records, image)).not.to.equal(undefined)
    const opened = await records.projects.readLive(project.metadata.name)
    expect(opened?.spec.pullRequests?.[0]).to.deep.include({
      repository,
      number: 7,
      environment: 'pr-7',
      commit: first,
    })
    expect(opened?.spec.gitHosts).to.deep.include({ environment: 'pr-7', installation: 71 })
    const row = `| \`${built.metadata.name}\` | ready |`
    await eventually(
      'the comment says that it is ready',
      () => saidOn(repository, 7)[0]?.includes(row) === true,
      waitMs,
    )

    await happens(repository, 7, second)
    const updated = await untilRuns(built, 'pr-7', second)
    expect(updated.metadata.uid).to.equal(copy.metadata.uid)
    expect(viewOf(updated).attempt?.title).to.equal('Pull request #7 at 2222222')
    expect(attemptIn((await records.apps.readLive(image.metadata.name)) ?? image)).to.equal(attemptIn(image))
    await eventually(
      'the comment tells the commit',
      () => saidOn(repository, 7)[0]?.includes('2222222') === true,
      waitMs,
    )

    await happens(repository, 7, second, { state: 'closed' })
    await untilClosed(records, project, 'pr-7')
    for (const { metadata } of [copy, image])
      expect(await records.apps.readLive(metadata.name), metadata.name).to.equal(undefined)
    const namespace = { type: coreTypes.namespace, name: `${project.metadata.name}-pr-7` }
    expect(await records.client.get(namespace)).to.equal(undefined)
    expect((await records.projects.readLive(project.metadata.name))?.spec.gitHosts).to.have.length(1)
    expect(saidOn(repository, 7)).to.have.length(1)
    expect(saidOn(repository, 7)[0]).to.contain('The environment is gone:** the pull request is closed')
    await untilState(records, built, 'ready')
  })

  it('is closed by the route, stays so at that commit, and comes back with the next one', async () => {
    const { records, happens, api, token } = world()
    const { project, repository, built } = await makeBase()
    await happens(repository, 8, first)
    await untilRuns(built, 'pr-8', first)
    const path = `/api/v1/projects/${project.metadata.name}/pr-environments/close`
    const closing = () => api.ask('POST', path, { token, json: { number: 8, repository: repository.toUpperCase() } })
    expect((await closing()).body).to.deep.equal({ ok: true, deleted: 2 })
    expect((await closing()).body).to.deep.equal({ ok: true, deleted: 0 })
    const closed = await until(
      records.projects,
      project,
      (found) => found?.status?.environments?.some(({ name }) => name === 'pr-8') === false,
      'without pr-8',
    )
    expect(closed.spec.pullRequests).to.deep.equal([{ repository, number: 8, commit: first }])
    const isGone = () => world().saidOn(repository, 8)[0]?.includes('gone') === true
    await eventually('the comment says so', isGone, waitMs)

    await happens(repository, 8, second)
    await untilRuns(built, 'pr-8', second)
    await happens(repository, 8, second, { state: 'closed' })
    await untilClosed(records, project, 'pr-8')
  })

  it('is not made where nothing builds the repository, and the git host is not asked for it', async () => {
    const { records, happens, github } = world()
    const { project, repository } = await world().makeProject()
    const before = github.calls.length
    expect((await happens(repository, 9, first)).body).to.deep.equal({ ok: true, outcome: 'started' })
    const other = await makeBase()
    await happens(other.repository, 9, first)
    await untilRuns(other.built, 'pr-9', first)
    expect(github.calls.slice(before).filter((call) => call.includes(repository))).to.deep.equal([])
    expect((await records.projects.readLive(project.metadata.name))?.spec.environments).to.deep.equal(['production'])
    await happens(other.repository, 9, first, { state: 'closed' })
    await untilClosed(records, other.project, 'pr-9')
  })
})
