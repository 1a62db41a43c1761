/**
 * `--wait` of databases, logical databases and buckets: its output on a terminal and in a log file, and its exit code.
 */
import { expect } from 'chai'
import { recordOf, waiting } from '../client/records.ts'
import { openDesk, type Desk } from './run-svc.ts'

const done = { json: { ok: true } }
const gone = { status: 404, json: { error: 'database not found', code: 'not_found' } }
const draft = recordOf({ state: 'draft' }, 'draft')
const ready = recordOf({}, 'new')
const place = ['-p', 'proj-1a2b3c4d', '-e', 'production']

/** Arguments, the route of the request and its answer, the collection, the name of the operation. */
const works: [string[], string, object, string, string][] = [
  [['databases', 'deploy', 'calm-otter'], 'POST /databases/calm-otter/deploy', { ok: true }, 'databases', 'deploy'],
  [
    ['databases', 'retry', 'calm-otter'],
    'POST /databases/calm-otter/retry-provision',
    { ok: true },
    'databases',
    'deploy',
  ],
  [
    ['databases', 'set', 'calm-otter', '--cpu', '1'],
    'PATCH /databases/calm-otter',
    { ok: true, applied: 'live', liveChanged: false },
    'databases',
    'deploy',
  ],
  [
    ['databases', 'create', 'calm-otter', ...place],
    'POST /databases',
    { ok: true, name: 'calm-otter', kind: 'databases', deployed: true },
    'databases',
    'deploy',
  ],
  [
    ['databases', 'create-server'],
    'POST /databases',
    { ok: true, name: 'calm-otter', kind: 'databases', deployed: true },
    'databases',
    'deploy',
  ],
  [
    ['logical', 'create', 'calm-otter', '--server', 'db', ...place],
    'POST /logical-databases',
    { ok: true, name: 'calm-otter', kind: 'logical-databases' },
    'logical-databases',
    'creation',
  ],
  [
    ['logical', 'retry', 'calm-otter'],
    'POST /logical-databases/calm-otter/retry-provision',
    { ok: true },
    'logical-databases',
    'creation',
  ],
  [
    ['stores', 'deploy', 'calm-otter'],
    'POST /object-stores/calm-otter/deploy',
    { ok: true },
    'object-stores',
    'deploy',
  ],
  [
    ['stores', 'retry', 'calm-otter'],
    'POST /object-stores/calm-otter/retry-provision',
    { ok: true },
    'object-stores',
    'deploy',
  ],
  [
    ['stores', 'set', 'calm-otter', '--bucket', 'photos'],
    'PATCH /object-stores/calm-otter',
    { ok: true },
    'object-stores',
    'deploy',
  ],
  [
    ['stores', 'create', ...place],
    'POST /object-stores',
    { ok: true, name: 'calm-otter', kind: 'object-stores', deployed: true },
    'object-stores',
    'deploy',
  ],
  [
    ['stores', 'create-server'],
    'POST /object-stores',
    { ok: true, name: 'calm-otter', kind: 'object-stores' },
    'object-stores',
    'creation',
  ],
]

describe('--wait of databases and buckets', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    desk.service.on('POST /databases/calm-otter/deploy', done)
    desk.service.on('POST /object-stores/calm-otter/deploy', done)
  })
  afterEach(async () => await desk.close())
  const reads = (collection: string, ...list: object[]) =>
    desk.service.on(`GET /${collection}/calm-otter`, ...list.map((json) => ({ json })))

  for (const [args, route, answer, collection, noun] of works) {
    it(`of svc ${args.slice(0, 2).join(' ')} ends with 0 when it is ready, with 5 when it failed, with 6 when time is up`, async () => {
      desk.service.on(route, { json: answer })
      const before = args[1]?.startsWith('create') === true ? [] : [draft]
      reads(collection, ...before, waiting('still at it'), waiting('still at it'), ready)
      const { code, out, err } = await desk.signedIn([...args, '--wait'])
      expect([code, err]).to.deep.equal([0, ''])
      expect(desk.service.routes()).to.include(route)
      expect(out.split('\n').slice(-4)).to.deep.equal([
        '    0s  pending  still at it',
        '    6s  ready',
        '✓ calm-otter is ready after 6s',
        '',
      ])

      reads(
        collection,
        ...before,
        waiting('still at it'),
        recordOf({ state: 'failed', message: 'no\x1b[2J capacity' }, 'new'),
      )
      const failed = await desk.signedIn([...args, '--wait'])
      expect([failed.code, failed.err]).to.deep.equal([5, `error: the ${noun} of calm-otter failed: no capacity\n`])

      reads(collection, ...before, waiting('still at it'))
      const late = await desk.signedIn([...args, '--wait', '--timeout', '10s'])
      expect([late.code, late.waitedMs]).to.deep.equal([6, 10_000])
      const look = `svc ${collection.replace('object-', '')} get calm-otter --wait`
      expect(late.err).to.equal(
        `error: calm-otter is not ready after 10s (still at it); the ${noun} goes on, look with \`${look}\`\n`,
      )
    })
  }

  for (const [noun, collection] of [
    ['databases', 'databases'],
    ['logical', 'logical-databases'],
    ['stores', 'object-stores'],
  ] as const) {
    it(`of svc ${noun} delete waits until it is gone`, async () => {
      desk.service.on(`DELETE /${collection}/calm-otter`, done)
      const deleting = { json: recordOf({ state: 'deleting', message: 'Removing' }) }
      desk.service.on(
        `GET /${collection}/calm-otter`,
        ...Array.from({ length: 3 }, () => ({ json: recordOf() })),
        deleting,
        deleting,
        gone,
      )
      const { code, out, err } = await desk.signedIn([noun, 'delete', 'calm-otter', '-y', '--wait'])
      expect(code).to.equal(0)
      expect(err).to.match(/^Deleting .+ \(project proj-1a2b3c4d, environment production, http\S+\) for good\n$/)
      expect(desk.service.asked.find(({ method }) => method === 'DELETE')?.path).to.equal(
        `/${collection}/calm-otter?confirmName=calm-otter`,
      )
      expect(out.split('\n')).to.deep.equal([
        '    0s  ready',
        '    3s  deleting  Removing',
        '    9s  gone',
        '✓ calm-otter is gone after 9s',
        '',
      ])

      desk.service.on(`GET /${collection}/calm-otter`, deleting)
      const late = await desk.signedIn([noun, 'delete', 'calm-otter', '-y', '--wait', '--timeout', '5s'])
      expect(late.code).to.equal(6)
      expect(late.err).to.include('calm-otter is not gone after 5s (Removing); the deletion goes on')
    })
  }

  it('says that the work goes on when it is interrupted', async () => {
    reads('databases', draft, waiting('still at it'))
    desk.service.on('DELETE /databases/calm-otter', done)
    const onSleep = (waitedMs: number, interrupt: () => void) => waitedMs > 5000 && interrupt()
    const sentence = (noun: string, more = '') =>
      `error: no longer waiting; the ${noun} of calm-otter goes on, look with \`svc databases get calm-otter${more}\`\n`
    const deploy = await desk.signedIn(['databases', 'deploy', 'calm-otter', '--wait'], { onSleep })
    expect([deploy.code, deploy.err]).to.deep.equal([1, sentence('deploy', ' --wait')])
    const remove = await desk.signedIn(['databases', 'delete', 'calm-otter', '-y', '--wait'], { onSleep })
    expect(remove.code).to.equal(1)
    expect(remove.err.split('\n').slice(1).join('\n')).to.equal(sentence('deletion'))
  })
  it('is resumed by get --wait', async () => {
    reads('databases', waiting('still at it', 'old'), ready)
    const { code, out } = await desk.signedIn(['databases', 'get', 'calm-otter', '--wait'])
    expect([code, out.split('\n').at(-2)]).to.deep.equal([0, '✓ calm-otter is ready after 3s'])
  })
  it('is not fooled by the ready that was there before', async () => {
    reads('databases', recordOf({}, 'old'), recordOf({}, 'old'), waiting('still at it', 'old'), ready)
    const { code, waitedMs } = await desk.signedIn(['databases', 'deploy', 'calm-otter', '--wait'])
    expect([code, waitedMs]).to.deep.equal([0, 6000])
  })
  it('updates one line on a terminal and takes it away at the end', async () => {
    reads('databases', draft, waiting('still at it'), ready)
    const { out } = await desk.signedIn(['databases', 'deploy', 'calm-otter', '--wait'], {
      tty: true,
      env: { NO_COLOR: '1' },
    })
    const drawn = out.split('\r\x1b[2K')
    expect(drawn.some((line) => line.includes('pending  still at it'))).to.equal(true)
    expect(drawn.at(-1)).to.equal('✓ calm-otter is ready after 3s\n')
  })
  it('keeps standard output for the last answer with --json', async () => {
    reads('databases', draft, waiting('still at it'), ready)
    const { out, err } = await desk.signedIn(['databases', 'deploy', 'calm-otter', '--wait', '--json'])
    expect(JSON.parse(out)).to.deep.equal(ready)
    expect(err).to.include('still at it')
    desk.service.on('GET /databases/calm-otter', { json: ready }, { json: ready }, gone)
    desk.service.on('DELETE /databases/calm-otter', done)
    expect(
      JSON.parse((await desk.signedIn(['databases', 'delete', 'calm-otter', '-y', '--wait', '--json'])).out),
    ).to.deep.equal({ ok: true })
  })
  it('does not deploy what cannot be seen', async () => {
    expect((await desk.signedIn(['stores', 'deploy', 'calm-otter', '--wait'])).code).to.equal(3)
    expect(desk.service.routes()).to.deep.equal(['GET /object-stores/calm-otter'])
  })
})
