/**
 * The life of a database through the command line, against the real api, worker and simulated nodes, where no server
 * process runs.
 */
import { expect } from 'chai'
import { type TestApi, startTestApi, testUsers } from '../api/test-api.ts'
import { useWorker } from '../harness/worker.ts'
import { openDesk, type Desk } from './run-svc.ts'

describe('a database on the command line, from draft to deletion', function () {
  this.timeout(300_000)
  let api: TestApi
  let desk: Desk
  let project = ''
  before(async () => {
    const [started] = await Promise.all([startTestApi(), useWorker()])
    api = started
    desk = await openDesk()
    const { username, password } = testUsers.admin
    await ends(`login --url ${api.baseUrl} --username ${username} --password-stdin`, 0, `${password}\n`)
    project = /proj-[0-9a-f]{8}/.exec(await ends('projects create story-data'))?.[0] ?? ''
  })
  after(async () => {
    if (project !== '') await ends(`api DELETE /projects/${project} -q confirmName=story-data`)
    await desk.close()
    await api.stop()
  })

  /** Returns its output; any exit code but the expected one fails with both streams. */
  const ends = async (line: string, code = 0, input?: string): Promise<string> => {
    const run = await desk.svc(line.split(' '), {
      realTime: true,
      env: { SVC_PROJECT: project, SVC_ENVIRONMENT: 'production' },
      ...(input === undefined ? {} : { input }),
    })
    expect(run.code, `svc ${line}\n${run.out}${run.err}`).to.equal(code)
    return run.out + run.err
  }

  it('goes from a draft over its deploy, a setting and a service to its deletion', async () => {
    expect(await ends('databases create story-db --storage 1Gi')).to.include('as a draft')
    await ends('databases connection story-db', 1)
    expect(await ends('databases deploy story-db --wait --timeout 120s')).to.include('story-db is ready')
    expect(await ends('databases connection story-db')).to.include('story-db-rw')
    expect(await ends('databases set story-db --memory 512Mi')).to.include('takes effect with the next deploy')
    expect(await ends('databases set story-db --cpu 250m --wait --timeout 120s')).to.include('story-db is ready')
    expect(await ends('databases get story-db')).to.match(/pending changes: +0\n/)
    await ends('databases retry story-db', 1)

    await ends('apps create story-shop --image nginx:1.29')
    expect(await ends('apps attach story-shop story-db'))
      .to.include('it is given DATABASE_URL')
      .and.to.include('svc deploy story-shop')
    await ends('apps attach story-shop story-nothing', 3)
    await ends('apps delete story-shop -y')

    await ends('databases delete story-db --wait', 2)
    expect(await ends('databases delete story-db -y --wait --timeout 120s')).to.include('story-db is gone')
    await ends('databases get story-db', 3)
  })
  it('waits for a logical database whose server was never deployed until time is up', async () => {
    await ends('databases create story-server --engine mysql')
    expect(await ends('logical create story-orders --server story-server --wait --timeout 5s', 6)).to.match(
      /error: story-orders is not ready after \d+s \(.+\); the creation goes on, look with `svc logical-databases get story-orders --wait`\n$/,
    )
    expect(await ends('logical list')).to.include('story_orders')
    expect(await ends('logical delete story-orders -y --wait --timeout 120s')).to.include('story-orders is gone')
    expect(await ends('databases delete story-server -y --wait --timeout 120s')).to.include('story-server is gone')
  })
})
