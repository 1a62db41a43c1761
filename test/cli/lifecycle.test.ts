/** The life of a service through the command line, against the real api, worker and cluster. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { type TestApi, startTestApi, testUsers } from '../api/test-api.ts'
import { useStack } from '../harness/stack.ts'
import { useWorker } from '../harness/worker.ts'
import { openDesk, type Desk, type Run } from './run-svc.ts'

/** Pods with this image never start on the simulated cluster. */
const brokenImage = 'registry.example.com/broken-image:1'

describe('a service on the command line, from sign-in to deletion', function () {
  this.timeout(180_000)
  let api: TestApi
  let desk: Desk
  before(async () => {
    const [started] = await Promise.all([startTestApi(), useWorker()])
    api = started
    desk = await openDesk()
  })
  after(async () => {
    await desk.close()
    await api.stop()
  })

  const svc = async (line: string, input?: string): Promise<Run> =>
    await desk.svc(line.split(' '), { realTime: true, ...(input === undefined ? {} : { input }) })
  /** Returns its output; any exit code but the expected one fails with both streams. */
  const ok = async (line: string, code = 0, input?: string): Promise<string> => {
    const run = await svc(line, input)
    expect(run.code, `svc ${line}\n${run.out}${run.err}`).to.equal(code)
    return run.out + run.err
  }

  it('goes from sign-in over deploys, a rollback and a failure to its deletion', async () => {
    const { username, password } = testUsers.admin
    await ok(`login --url ${api.baseUrl} --username ${username} --password-stdin`, 4, 'not-the-password')
    await ok(`login --url ${api.baseUrl} --username ${username} --password-stdin`, 0, `${password}\n`)
    expect(await ok('whoami')).to.include('admin')
    expect(await ok('version')).to.include('api v1')

    const project = /proj-[0-9a-f]{8}/.exec(await ok('projects create life-shop'))?.[0] ?? 'none'
    expect(await ok('projects list'))
      .to.include('life-shop')
      .and.to.include('production')
    await ok('config set-context here --url ' + api.baseUrl + ` -p ${project} -e production`)

    await ok(`apps create life-web --image nginx:1.29 -p life-shop`)
    expect(await ok('status life-web')).to.include('draft')
    expect(await ok('deploy life-web --wait --timeout 60s')).to.include('life-web is ready')
    expect(await ok(`apps list -p ${project}`)).to.match(/life-web .* ready/)

    await ok('env set life-web GREETING=hello')
    expect(await ok('env list life-web')).to.match(/GREETING +plain +hello/)
    await ok('env set life-web TOKEN=- --secret', 0, 'hunter2')
    expect(await ok('env list life-web'))
      .to.match(/TOKEN +secret\n/)
      .and.not.include('hunter2')
    expect(await ok('status life-web')).to.match(/pending changes: 1\n/)
    await ok('env unset life-web GREETING --wait --timeout 60s')

    await ok('scale life-web 2')
    await ok('scale life-web 1001', 1)
    const listed: unknown = JSON.parse(await ok('apps deployments life-web --json'))
    expect(listed).to.have.property('items').with.length.of.at.least(2)
    await ok('rollback life-web --wait --timeout 60s')

    await ok(`api PATCH /apps/life-web -d {"image":"${brokenImage}"}`)
    const failure = await ok('deploy life-web --wait --timeout 90s', 5)
    expect(failure).to.match(/error: the deploy of life-web failed: .*image/)

    await ok('apps delete life-web', 2)
    await ok('apps delete life-web -y')
    await gone('life-web')
    await ok('logout')
    await ok('whoami', 4)
  })

  it('waits for the deploys of changes, and for an archived environment to be empty', async () => {
    const { username, password } = testUsers.admin
    await ok(`login --url ${api.baseUrl} --username ${username} --password-stdin`, 0, `${password}\n`)
    const project = /proj-[0-9a-f]{8}/.exec(await ok('projects create life-waits'))?.[0] ?? 'none'
    await ok(`environments create staging -p ${project}`)
    await ok(`apps create life-moved --image nginx:1.29 -p ${project} -e staging --wait --timeout 60s`)
    const set = await ok('apps set life-moved --image nginx:1.30 --wait --timeout 60s')
    expect(set).to.include('life-moved is ready')
    expect(await ok('env import life-moved --file - --wait --timeout 60s', 0, 'COLOUR=green\n'))
      .to.include('Imported; deploying life-moved')
      .and.to.include('life-moved is ready')
    expect(await ok('status life-moved')).to.match(/pending changes: 0\n/)

    const namespace = { type: coreTypes.namespace, name: namespaceOf(project, 'staging') }
    const { client } = await useStack()
    expect(await client.get(namespace)).not.to.equal(undefined)
    const archived = await ok(`-p ${project} -y environments archive staging --wait --timeout 90s`)
    expect(archived).to.match(/ staging is gone after /)
    await ok('status life-moved', 3)
    expect(await client.get(namespace)).to.equal(undefined)
    await ok(`projects delete ${project} -y --wait --timeout 90s`)
    await ok('logout')
  })

  async function gone(app: string): Promise<void> {
    for (let tries = 0; tries < 60; tries += 1) {
      const { code } = await svc(`status ${app}`)
      if (code === 3) return
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    expect.fail(`${app} is still there`)
  }
})
