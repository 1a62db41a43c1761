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
    project = /proj-[0-9a-f]{8}/.exec(await ends('projects create life-data'))?.[0] ?? ''
  })
  after(async () => {
    if (project !== '') await ends(`api DELETE /projects/${project} -q confirmName=life-data`)
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
    expect(await ends('databases create life-db --storage 1Gi')).to.include('as a draft')
    await ends('databases connection life-db', 1)
    expect(await ends('databases deploy life-db --wait --timeout 120s')).to.include('life-db is ready')
    expect(await ends('databases connection life-db')).to.include('life-db-rw')
    expect(await ends('databases set life-db --memory 512Mi')).to.include('takes effect with the next deploy')
    expect(await ends('databases set life-db --cpu 250m --wait --timeout 120s')).to.include('life-db is ready')
    expect(await ends('databases get life-db')).to.match(/pending changes: +0\n/)
    await ends('databases retry life-db', 1)

    await ends('apps create life-shop --image nginx:1.29')
    expect(await ends('apps attach life-shop life-db'))
      .to.include('it is given DATABASE_URL')
      .and.to.include('svc deploy life-shop')
    await ends('apps attach life-shop life-nothing', 3)
    await ends('apps delete life-shop -y')

    await ends('databases delete life-db --wait', 2)
    expect(await ends('databases delete life-db -y --wait --timeout 120s')).to.include('life-db is gone')
    await ends('databases get life-db', 3)
  })
  it('waits for a logical database whose server was never deployed until time is up', async () => {
    await ends('databases create life-server --engine mysql')
    expect(await ends('logical create life-orders --server life-server --wait --timeout 5s', 6)).to.match(
      /error: life-orders is not ready after \d+s \(.+\); the creation goes on, look with `svc logical-databases get life-orders --wait`\n$/,
    )
    expect(await ends('logical list')).to.include('life_orders')
    expect(await ends('logical delete life-orders -y --wait --timeout 120s')).to.include('life-orders is gone')
    expect(await ends('databases delete life-server -y --wait --timeout 120s')).to.include('life-server is gone')
  })
})
