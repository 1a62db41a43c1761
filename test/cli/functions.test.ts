/** `svc functions`: what it asks for, what it prints, and its exit codes, with a function that answers for real. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { statusOf } from '../client/status.ts'
import { startReceiver, type TestReceiver } from '../outside/webhooks/receiver.ts'
import { openDesk, type Desk } from './run-svc.ts'

const trigger = { name: 'nightly', schedule: '0 3 * * *', path: '/jobs', payload: '{"a":1}' }
const viewOf = (source: object) => ({ json: { resource: {}, spec: { source }, status: {} } })
const fn = viewOf({ function: { triggers: [trigger] } })
const saved = { json: { ok: true, pending: ['settings'], deployed: false, title: '', detail: '', button: '' } }

describe('svc functions', () => {
  let desk: Desk
  let copies: TestReceiver
  beforeEach(async () => {
    desk = await openDesk()
    copies = await startReceiver('')
    desk.service.on('GET /apps/fn', fn)
    desk.service.on('GET /apps/fn/status', { json: statusOf({ url: copies.url }) })
    desk.service.on('PATCH /apps/fn', saved)
  })
  afterEach(async () => {
    await desk.close()
    await copies.stop()
  })
  const lastSaved = () => desk.service.asked.findLast(({ method }) => method === 'PATCH')?.body

  it('are created with code from a file, by its path or as @FILE, and from standard input', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-code-'))
    const file = join(folder, 'report.mjs')
    await writeFile(file, 'export default 1')
    desk.service.on('POST /apps', { json: { ok: true, name: 'report', kind: 'apps' } })
    const place = ['-p', 'proj-1a2b3c4d', '-e', 'production']
    const create = (code: string) =>
      desk.signedIn([...place, 'apps', 'create', 'report', '--runtime', 'node', '--code', code], {
        input: 'export default 2',
      })
    for (const [named, code] of [
      [file, 'export default 1'],
      [`@${file}`, 'export default 1'],
      ['-', 'export default 2'],
    ] as const) {
      expect((await create(named)).code, named).to.equal(0)
      expect(desk.service.asked.at(-1)?.body, named).to.deep.include({ source: 'function', runtime: 'node', code })
    }
    await rm(folder, { recursive: true })
    expect(await create(file)).to.include({ code: 1, out: '' })
    expect(await create(`@${file}`)).to.include({ code: 2, err: `error: ${file} cannot be read\n` })
  })

  it('get other code from a file, by its path or as @FILE', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-code-'))
    const file = join(folder, 'report.mjs')
    await writeFile(file, 'export default 3')
    for (const named of [file, `@${file}`]) {
      const { code, err } = await desk.signedIn(['apps', 'set', 'fn', '--code', named])
      expect({ code, err }, named).to.include({ code: 0 })
      expect(lastSaved(), named).to.deep.equal({ functionCode: 'export default 3' })
    }
    await rm(folder, { recursive: true })
    expect((await desk.signedIn(['apps', 'set', 'fn', '--code', file])).code, 'no file').to.equal(1)
  })

  describe('triggers', () => {
    it('list shows each with its last run and the next', async () => {
      const run = { plannedAt: '2026-11-23T03:00:00.000Z', phase: 'Failed', message: 'answered 500: no luck' }
      const shown = { ...trigger, state: 'changes', next: ['2026-11-24T03:00:00.000Z'], failures: 1, runs: [run] }
      desk.service.on('GET /apps/fn/schedules', { json: { items: [shown] } })
      const { code, out } = await desk.signedIn(['functions', 'triggers', 'list', 'fn'])
      expect(code).to.equal(0)
      for (const words of ['nightly', '/jobs', '2026-11-23 03:00:00Z', 'Failed', '2026-11-24 03:00:00Z'])
        expect(out).to.include(words)
      expect(out).to.include('changes with the next deploy; answered 500: no luck')
    })

    it('add keeps the others, and replaces one of that name', async () => {
      const add = (...args: string[]) => desk.signedIn(['functions', 'triggers', 'add', 'fn', ...args])
      expect((await add('hourly', '--schedule', '@hourly', '--payload', '{"b":2}')).code).to.equal(0)
      expect(lastSaved()).to.deep.equal({
        functionTriggers: [trigger, { name: 'hourly', schedule: '@hourly', payload: '{"b":2}' }],
      })
      await add('nightly', '--schedule', '0 4 * * *', '--path', '/other')
      expect(lastSaved()).to.deep.equal({
        functionTriggers: [{ name: 'nightly', schedule: '0 4 * * *', path: '/other' }],
      })
      expect((await add('hourly')).code, 'without a schedule').to.equal(2)
    })

    it('remove keeps the others, and says when there is none of that name', async () => {
      const { code, out } = await desk.signedIn(['functions', 'triggers', 'remove', 'fn', 'nightly'])
      expect([code, out.trim()]).to.deep.equal([0, 'Saved; it ends with the next `svc deploy fn`'])
      expect(lastSaved(), 'the empty list in a form').to.deep.equal({ functionTriggers: '' })
      const missing = await desk.signedIn(['functions', 'triggers', 'remove', 'fn', 'other'])
      expect([missing.code, missing.err.trim()]).to.deep.equal([3, 'error: fn has no schedule other'])
    })

    it('run begins one now', async () => {
      desk.service.on('POST /apps/fn/schedules/nightly/run', { json: { ok: true } })
      const { code, out } = await desk.signedIn(['functions', 'triggers', 'run', 'fn', 'nightly'])
      expect(code).to.equal(0)
      expect(out).to.include('Begun; `svc functions triggers list fn` says how it ended')
    })
  })

  describe('invoke', () => {
    const invoke = (args: string[], input = '') => desk.signedIn(['functions', 'invoke', 'fn', ...args], { input })

    it('sends one request to the address of the function and prints the answer', async () => {
      copies.answer((response) => void response.end('hello'))
      const { code, out } = await invoke(['--method', 'PUT', '--path', '/greet?who=me', '--data', '{"a":1}'])
      expect([code, out]).to.deep.equal([0, 'hello\n'])
      expect(copies.received).to.have.length(1)
      expect(copies.received[0]).to.deep.include({ method: 'PUT', path: '/greet?who=me', body: '{"a":1}' })
      expect(copies.received[0]?.headers['content-type']).to.equal('application/json')
    })

    it('is a POST of / without a body unless it says otherwise; --json has the whole answer', async () => {
      const { code, out } = await invoke(['--json'])
      expect(code).to.equal(0)
      expect(JSON.parse(out)).to.deep.equal({ status: 204, content_type: '', body: '', truncated: false })
      expect(copies.received[0]).to.deep.include({ method: 'POST', path: '/', body: '' })
    })

    it('reads the body from a file, and from standard input', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'svc-invoke-'))
      await writeFile(join(folder, 'body.json'), '{"from":"file"}')
      await invoke(['--data', `@${join(folder, 'body.json')}`])
      await invoke(['--data', '-'], 'from a pipe')
      expect(copies.received.map(({ body }) => body)).to.deep.equal(['{"from":"file"}', 'from a pipe'])
      await rm(folder, { recursive: true })
      const { code, err } = await invoke(['--data', '@/nowhere/body.json'])
      expect([code, copies.received.length]).to.deep.equal([1, 2])
      expect(err).to.include('cannot read /nowhere/body.json')
    })

    it('ends with 1 where the answer is an error, which it prints all the same', async () => {
      copies.answer((response) => void response.writeHead(422).end('no such job\n'))
      const { code, out, err } = await invoke([])
      expect([code, out, err.trim()]).to.deep.equal([1, 'no such job\n', 'error: fn answered 422'])
    })

    it('commands no terminal by the answer, which a pipe gets as it is', async () => {
      const sent = '\x1b]52;c;cm0gLXJm\x07a\x1b[2J\tb\u009b1mc\n'
      desk.service.on('GET /apps/fn/status', { json: statusOf({ url: '' }) })
      const json = { status: 200, contentType: 'text/plain', body: sent, truncated: false }
      desk.service.on('POST /apps/fn/invoke', { json })
      const shown = await desk.signedIn(['functions', 'invoke', 'fn'], { tty: true })
      expect(shown.out).to.equal(']52;c;cm0gLXJma\tb1mc\n')
      expect((await invoke([])).out).to.equal(sent)
    })

    it('goes through the service where there is no public address', async () => {
      desk.service.on('GET /apps/fn/status', { json: statusOf({ url: '' }) })
      const answered = { status: 201, contentType: 'text/plain', body: 'made', truncated: false }
      desk.service.on('POST /apps/fn/invoke', { json: answered })
      const { code, out } = await invoke(['--method', 'PUT', '--path', '/jobs', '--data', '{"a":1}'])
      expect([code, out]).to.deep.equal([0, 'made\n'])
      expect(desk.service.asked.at(-1)?.body).to.deep.equal({ method: 'PUT', path: '/jobs', data: '{"a":1}' })
      desk.service.on('POST /apps/fn/invoke', { json: { ...answered, status: 422, truncated: true } })
      const failed = await invoke([])
      expect([failed.code, failed.out]).to.deep.equal([1, 'made\n'])
      expect(failed.err).to.include('the answer was longer than what is read').and.to.include('fn answered 422')
      expect(copies.received).to.deep.equal([])
    })

    it('asks nothing of what is no function, has no address, or is no path', async () => {
      expect((await invoke(['--path', 'jobs'])).code).to.equal(2)
      expect((await invoke(['--method', 'TRACE'])).code).to.equal(2)
      desk.service.on('GET /apps/fn/status', { json: statusOf({ state: 'draft', url: '' }) })
      expect((await invoke([])).err).to.include('fn has no address: it is draft')
      desk.service.on('GET /apps/fn', viewOf({ image: { image: 'nginx:1' } }))
      const { code, err } = await invoke([])
      expect([code, err.trim()]).to.deep.equal([1, 'error: fn is not a function'])
      expect(copies.received).to.deep.equal([])
    })
  })
})
