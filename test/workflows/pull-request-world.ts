/** A project whose pull requests get environments, with the stand-in of GitHub, a worker and an api that know it. */
import { createHmac, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { buildName } from '../../kinds/builds/names.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { createPushes } from '../../temporal/client/pushes.ts'
import { type Answer, startTestApi, type TestApi } from '../api/test-api.ts'
import { githubApp, type GitHubServer, startGitHub } from '../harness/github.ts'
import {
  createApp,
  createProject,
  deploy,
  type TestRecords,
  until,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { startTestWorker, testPolicy, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { builderEnv, createGitApp, playSuccess, untilPhase } from './build-world.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

export const installation = 71

export interface Base {
  project: Project
  repository: string
  built: App
  plain: App
}

export interface PullRequestWorld {
  records: TestRecords
  github: GitHubServer
  api: TestApi
  token: string
  /** For the worker. */
  env: Record<string, string>
  /** A project of its own, and its repository. */
  makeProject(spec?: Partial<Project['spec']>): Promise<{ project: Project; repository: string }>
  /** Such a project with a service that is built from the repository, and one of an image; both run. */
  makeBase(spec?: Partial<Project['spec']>): Promise<Base>
  /** Plays the build of the copy at the commit, and waits until it runs. */
  untilRuns(built: App, environment: string, commit: string): Promise<App>
  /** Sets the pull request at the git host, and delivers that something happened to it. */
  happens(
    repository: string,
    number: number,
    commit: string,
    change?: { state?: 'open' | 'closed'; from?: string | null },
  ): Promise<Answer>
  /** What svc says on it. */
  saidOn(repository: string, number: number): string[]
  /** A worker that knows the git host, in the place of the one before. */
  startWorker(policy?: WorkerPolicy): Promise<void>
  /** Stops the worker, too. */
  close(): Promise<void>
}

type WorkerPolicy = Parameters<typeof startTestWorker>[0]

/** Such a world for the tests of a suite, with a worker; its `before` and `after` are in place. */
export function usePullRequestWorld(): () => PullRequestWorld {
  let world: PullRequestWorld | undefined
  before(async function () {
    this.timeout(180_000)
    await withoutWorker()
    world = await openPullRequestWorld()
    await world.startWorker()
  })
  after(() => world?.close())
  return () => {
    if (world === undefined) throw new Error('the world opens before the tests')
    return world
  }
}

export async function openPullRequestWorld(policy: object = {}): Promise<PullRequestWorld> {
  const [records, github] = await Promise.all([useRecords(), startGitHub()])
  const { temporalAddress, temporalNamespace } = await useStack()
  const settings = temporalSettings({
    SVC_TEMPORAL_ADDRESS: temporalAddress,
    SVC_TEMPORAL_NAMESPACE: temporalNamespace,
    SVC_POLICY: JSON.stringify({ ...testPolicy, ...policy }),
  })
  const temporal = connectTemporal(settings)
  const api = await startTestApi({
    pushes: createPushes({ client: temporal.client, policy: settings.policy, searchable: settings.searchable }),
  })
  const token = await api.token({ role: 'admin' })
  await api.ask('POST', '/api/settings/githost/save', { token, form: githubApp })
  github.repositories.set(installation, [])

  const happens: PullRequestWorld['happens'] = async (repository, number, commit, { state = 'open', from } = {}) => {
    github.pulls.set(`${repository}#${number}`, { state, commit, from: from === undefined ? repository : from })
    const body = JSON.stringify({ number, repository: { full_name: repository }, installation: { id: installation } })
    const signature = createHmac('sha256', githubApp.webhookSecret).update(body).digest('hex')
    return api.ask('POST', '/webhooks/githost', {
      raw: { body, type: 'application/json' },
      headers: {
        'x-github-event': 'pull_request',
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': `sha256=${signature}`,
      },
    })
  }
  const makeProject: PullRequestWorld['makeProject'] = async (spec = {}) => {
    const project = await createProject(records, {
      gitHosts: [{ environment: 'production', installation }],
      pullRequestEnvironments: { enabled: true, baseEnvironment: '', maxOpen: 5 },
      ...spec,
    })
    await untilSetUp(records, project)
    const repository = `acme/${project.metadata.name}`
    github.repositories.set(installation, [...(github.repositories.get(installation) ?? []), repository])
    return { project, repository }
  }
  const env = {
    SVC_GITHUB_URL: github.url,
    SVC_GITHUB_API_URL: github.url,
    ...builderEnv,
  }
  let worker: TestWorker | undefined
  return {
    records,
    github,
    api,
    token,
    env,
    async startWorker(changed = {}) {
      await worker?.stop('SIGKILL')
      worker = await startTestWorker(changed, 'temporal/main.ts', env)
    },
    makeProject,
    async makeBase(spec) {
      const { project, repository } = await makeProject(spec)
      const built = await createGitApp(records, project, { repository })
      const attempt = attemptIn(await deploy(records, built))
      await playSuccess(records, await untilPhase(records, attempt, 'Running'))
      await untilState(records, built, 'ready', attempt)
      const peer = { name: 'PEER', value: `http://${built.metadata.name}:8080` }
      const plain = await createApp(records, project, { env: [peer] })
      await deploy(records, plain)
      await untilState(records, plain, 'ready')
      return { project, repository, built, plain }
    },
    async untilRuns(built, environment, commit) {
      const isAt = (copy: App) => viewOf(copy).lastDeployed?.source.git?.commit === commit
      const copy = await untilCopy(records, built, environment, isAt, `deployed at ${commit}`)
      const build = await untilPhase(records, buildName(attemptIn(copy), ''), 'Running')
      expect(build.spec).to.deep.include({ revision: commit, environment })
      await playSuccess(records, build, commit)
      return untilState(records, copy, 'ready', attemptIn(copy))
    },
    happens,
    saidOn: (repository, number) => (github.comments.get(`${repository}#${number}`) ?? []).map(({ body }) => body),
    async close() {
      await worker?.stop('SIGKILL')
      await api.stop()
      await temporal.close()
      await github.stop()
      const namespace = systemNamespace
      await records.client.delete({ type: resourceTypes.platformConfig, namespace, name: 'platform' })
      await records.client.delete({ type: coreTypes.secret, namespace, name: 'platform-githost' })
    },
  }
}

/** The copy of a service, once it is as wanted. */
export const untilCopy = (
  { apps }: TestRecords,
  app: App,
  environment: string,
  wanted: (copy: App) => boolean,
  what: string,
): Promise<App> =>
  until(
    apps,
    { metadata: { name: `${app.metadata.name}-${environment}` } },
    (copy) => copy !== undefined && wanted(copy),
    `the copy of ${app.metadata.name}: ${what}`,
  )

/** Nothing is left of an environment: neither in the project's record, nor of what was in it. */
export const untilClosed = ({ projects }: TestRecords, project: Project, environment: string): Promise<Project> =>
  until(
    projects,
    project,
    (found) =>
      found?.spec.environments.includes(environment) === false &&
      found.spec.pullRequests === undefined &&
      found.metadata.annotations?.['svc.dev/archived'] === undefined &&
      found.status?.environments?.some(({ name }) => name === environment) === false,
    `without ${environment}`,
  )
