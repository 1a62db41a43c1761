/** `--wait` of buckets and of the object server they are on, against a real api, worker and MinIO. */
import { expect } from 'chai'
import { objectServerName } from '../../kinds/object-stores/draft.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { type Minio, minioWithinMs } from '../harness/minio.ts'
import { chooseAddress, playObjectServer } from '../harness/object-server.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { openDesk, type Desk, type Run } from './run-svc.ts'

describe('--wait of buckets, against a real api and worker', function () {
  this.timeout(minioWithinMs)
  let api: TestApi
  let desk: Desk
  let worker: TestWorker
  let minio: Minio | undefined
  let token: string
  let port: number
  let place: string[] = []
  before(async () => {
    await withoutWorker()
    await forgetRecords() // a bucket of another file would hold the object server
    const address = await chooseAddress()
    port = address.port
    ;[api, worker] = await Promise.all([startTestApi(), startTestWorker({}, 'temporal/main.ts', address.env)])
    desk = await openDesk()
    token = await api.token({ name: 'buckets', role: 'admin' })
    const made = await desk.svc(['--url', api.baseUrl, '--token', token, 'projects', 'create', '--json'])
    const { project } = JSON.parse(made.out) as { project: string } // as the api answers
    place = ['-p', project, '-e', 'production']
  })
  after(async () => {
    await worker?.stop()
    await desk?.close()
    await api?.stop()
    await minio?.stop()
  })
  const svc = async (...args: string[]): Promise<Run> =>
    await desk.svc(['--url', api.baseUrl, '--token', token, 'stores', ...args, '--wait'], { realTime: true })
  /** Both streams; any exit code but the expected one fails with them. */
  const ends = async (code: number, ...args: string[]): Promise<string> => {
    const run = await svc(...args)
    expect(run.code, `svc stores ${args.join(' ')}\n${run.out}${run.err}`).to.equal(code)
    return run.out + run.err
  }

  it('create-server, create, deploy and delete end when the object server has done it', async () => {
    const server = svc('create-server')
    minio = await playObjectServer(port)
    const { code, out, err } = await server
    expect(code, out + err).to.equal(0)
    expect(out).to.match(new RegExp(`✓ ${objectServerName} is ready after `))
    const ready = /✓ waited-store is ready after /
    expect(await ends(0, 'create', 'waited-store', '--bucket', 'pictures', ...place)).to.match(ready)
    expect(await ends(0, 'deploy', 'waited-store')).to.match(ready)
    expect(await ends(1, 'create-server')).to.match(/^error: /m)
    expect(await ends(0, 'delete', 'waited-store', '-y')).to.match(/✓ waited-store is gone after /)
    expect(await ends(0, 'delete', objectServerName, '-y')).to.match(/ is gone after /)
  })
})
