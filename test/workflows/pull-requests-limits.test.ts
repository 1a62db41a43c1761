/** How many environments of pull requests there are at once, for how long, and what is found after svc was away. */
import { expect } from 'chai'
import { until } from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { eventually } from '../cluster/eventually.ts'
import { untilClosed, usePullRequestWorld } from './pull-request-world.ts'

const [first, second] = ['5'.repeat(40), '6'.repeat(40)]
const waitMs = 25_000

describe('environments of pull requests', function () {
  this.timeout(150_000)
  const world = usePullRequestWorld()

  it('are as many as the project allows; what is refused says so, and has its turn when one closes', async () => {
    const { records, happens, saidOn, github } = world()
    const { project, repository, built } = await world().makeBase({
      pullRequestEnvironments: { enabled: true, baseEnvironment: 'production', maxOpen: 1 },
    })
    await happens(repository, 1, first)
    await world().untilRuns(built, 'pr-1', first)
    await happens(repository, 2, second)
    const isSaid = () =>
      saidOn(repository, 2)[0]?.includes('1 of at most 1 pull-request environments are open') === true
    await eventually('the comment tells why', isSaid, waitMs)
    const environments = async () => (await records.projects.readLive(project.metadata.name))?.spec.environments
    expect(await environments()).to.deep.equal(['production', 'pr-1'])

    // Closed while no delivery came, and so is what the limit allows now.
    github.pulls.set(`${repository}#1`, { state: 'closed', commit: first, from: repository })
    await resyncUntil(
      'pull request 2 has an environment',
      async () => (await environments())?.includes('pr-2') === true,
    )
    expect(await environments()).to.deep.equal(['production', 'pr-2'])
    await world().untilRuns(built, 'pr-2', second)
    expect([saidOn(repository, 1).length, saidOn(repository, 2).length]).to.deep.equal([1, 1])
    await happens(repository, 2, second, { state: 'closed' })
    await untilClosed(records, project, 'pr-2')
  })

  it('are closed after days without a commit, and come back with the next one', async () => {
    const { records, happens, saidOn } = world()
    const { project, repository, built } = await world().makeBase()
    await happens(repository, 3, first)
    await world().untilRuns(built, 'pr-3', first)
    await world().startWorker({ pullRequestIdleMs: 1 })
    const isIdle = () =>
      saidOn(repository, 3)[0]?.includes('got no commit for long; the next commit makes it again') === true
    await resyncUntil('it is closed', isIdle)
    const closed = await until(
      records.projects,
      project,
      (found) => found?.spec.environments.includes('pr-3') === false,
      'without pr-3',
    )
    expect(closed.spec.pullRequests).to.deep.equal([{ repository, number: 3, commit: first }])
    await world().startWorker()
    await happens(repository, 3, second)
    await world().untilRuns(built, 'pr-3', second)
    await happens(repository, 3, second, { state: 'closed' })
    await untilClosed(records, project, 'pr-3')
  })
})
