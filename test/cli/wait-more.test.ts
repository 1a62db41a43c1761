/** `--wait` of environments, copies, the domain and deletions; the change stream; and sleep that cannot work. */
import { expect } from 'chai'
import { pending, statusOf } from '../client/status.ts'
import { recordOf } from '../client/records.ts'
import { openDesk, type Desk } from './run-svc.ts'

const ok = { json: { ok: true } }
const gone = { status: 404, json: { error: 'not found', code: 'not_found' } }
const hidden = { status: 403, json: { error: 'this token cannot access that endpoint', code: 'forbidden' } }
const summary = (name: string, changes: object = {}) => recordOf({ name, kind: 'app', ...changes }).resource
const items = (...list: object[]) => ({ json: { items: list } })

describe('--wait', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(async () => await desk.close())

  describe('of a deploy of an environment', () => {
    const place = ['-p', 'proj-1a2b3c4d', '-e', 'production']
    beforeEach(() => {
      desk.service.on('GET /databases', items())
      desk.service.on('GET /object-stores', items(summary('pics', { kind: 'object-store' })))
      desk.service.on('POST /projects/proj-1a2b3c4d/deploy', { json: { ok: true, deployed: 2 } })
    })
    const apps = (...states: [string, string][]) =>
      desk.service.on(
        'GET /apps',
        items(summary('web', { pendingChanges: 1 }), summary('api', { state: 'draft', pendingChanges: 1 })),
        ...states.map(([web, api]) =>
          items(summary('web', { state: web }), summary('api', { state: api, message: 'no image' })),
        ),
      )

    it('ends with 0 when everything whose deploy was accepted is ready', async () => {
      apps(['pending', 'pending'], ['ready', 'pending'], ['ready', 'ready'])
      const { code, out, err } = await desk.signedIn([...place, 'projects', 'deploy', '--wait'])
      expect([code, err]).to.deep.equal([0, ''])
      expect(out.split('\n')).to.deep.equal([
        '    0s  0 of 2 done  web pending, api pending',
        '    3s  1 of 2 done  api pending',
        '    6s  2 of 2 done',
        '✓ production is ready after 6s',
        '',
      ])
    })
    it('ends with 5 and names what failed, once nothing is on its way', async () => {
      apps(['pending', 'failed'], ['ready', 'failed'])
      const { code, err, waitedMs } = await desk.signedIn([...place, 'projects', 'deploy', '--wait'])
      expect([code, err, waitedMs]).to.deep.equal([5, 'error: the deploy of production failed: api: no image\n', 3000])
    })
    it('ends with 6 and how to look when time is up', async () => {
      apps(['ready', 'pending'])
      const { code, err } = await desk.signedIn([...place, 'projects', 'deploy', '--wait', '--timeout', '9s'])
      expect([code, err]).to.deep.equal([
        6,
        'error: production is not ready after 9s (api: no image); the deploy goes on, look with `svc apps list -p proj-1a2b3c4d -e production`\n',
      ])
    })
    it('of a project token waits for the services it may see', async () => {
      for (const route of ['GET /databases', 'GET /object-stores', 'GET /events']) desk.service.on(route, hidden)
      desk.service.on('GET /me', {
        json: { username: 'ci', role: 'admin', project: 'proj-1a2b3c4d', environment: 'production' },
      })
      desk.service.on('POST /token/deploy', { json: { ok: true, deployed: 2 } })
      apps(['pending', 'pending'], ['ready', 'ready'])
      const { code, out } = await desk.signedIn(['tokens', 'deploy', '--wait', '--json'])
      expect(code).to.equal(0)
      expect(JSON.parse(out)).to.deep.equal({ items: [summary('web'), summary('api', { message: 'no image' })] })
    })
  })

  it('of a number of copies ends when so many run', async () => {
    desk.service.on('POST /apps/web/scale', ok)
    const status = (desired: number, ready: number, state: 'ready' | 'pending') => ({
      json: statusOf({ state, replicas: { desired, ready, available: ready } }),
    })
    desk.service.on('GET /apps/web/status', status(1, 1, 'ready'), status(3, 1, 'pending'), status(3, 3, 'ready'))
    const { code, out } = await desk.signedIn(['scale', 'web', '3', '--wait'])
    expect([code, out.split('\n').at(-2)]).to.deep.equal([0, '✓ web is ready after 6s'])
    expect((await desk.signedIn(['scale', 'web', '--always-on', '--wait'])).code).to.equal(2)
  })

  it('of the domain ends when the dashboard is reached at it', async () => {
    const domain = { rootDomain: 'example.com', dashboardURL: 'https://svc.example.com', dashboardExposure: 'ingress' }
    const checked = (ready: boolean, reason: string) => ({
      json: { ...domain, configured: true, ready, reason, message: 'no address yet' },
    })
    desk.service.on('POST /settings/domain/save', ok)
    desk.service.on('GET /settings/domain', checked(false, 'PendingDNS'), checked(true, 'Verified'))
    const { code, out } = await desk.signedIn(['settings', 'domain', 'set', '--root', 'example.com', '--wait'])
    expect([code, out]).to.deep.equal([
      0,
      '    0s  PendingDNS  no address yet\n    3s  ready\n✓ example.com is ready after 3s: https://svc.example.com\n',
    ])
    desk.service.on('GET /settings/domain', checked(false, 'VerificationTimedOut'))
    const failed = await desk.signedIn(['settings', 'domain', 'set', '--root', 'example.com', '--wait'])
    expect([failed.code, failed.err]).to.deep.equal([5, 'error: the domain is not verified: no address yet\n'])
  })

  it('of a deletion ends when the service is gone', async () => {
    const deleting = { json: recordOf({ kind: 'app', name: 'web', state: 'deleting', message: 'Removing' }) }
    desk.service.on('DELETE /apps/web', ok)
    const there = { json: recordOf({ kind: 'app', name: 'web' }) }
    desk.service.on('GET /apps/web', there, there, deleting, deleting, gone)
    const { code, out } = await desk.signedIn(['apps', 'delete', 'web', '-y', '--wait'])
    expect([code, out.split('\n').at(-2)]).to.deep.equal([0, '✓ web is gone after 6s'])
  })

  it('of a retry ends with the deploy that it began', async () => {
    desk.service.on('POST /apps/web/retry-provision', ok)
    desk.service.on(
      'GET /apps/web/status',
      { json: statusOf({ state: 'failed' }) },
      { json: pending('web-new') },
      { json: statusOf() },
    )
    expect((await desk.signedIn(['apps', 'retry', 'web', '--wait'])).code).to.equal(0)
  })

  it('ends within 300 ms of a change on the event stream', async () => {
    desk.service.on('POST /apps/web/deploy', {
      json: { ok: true, pending: [], deployed: true, title: '', detail: '', button: '' },
    })
    const finish = () => desk.service.on('GET /apps/web/status', { json: statusOf() })
    let changedAt = 0
    desk.service.on('GET /events', (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: connected\ndata: {"type":"connected"}\n\n')
      setTimeout(() => {
        finish()
        changedAt = performance.now()
        response.write('event: change\ndata: {"type":"change","resource":"apps","name":"web","op":"update"}\n\n')
      }, 300)
    })
    // The least of three: a busy machine holds up one, and reads by the clock, three seconds apart, hold up each.
    const late: number[] = []
    for (let round = 0; round < 3; round += 1) {
      desk.service.on('GET /apps/web/status', { json: statusOf() }, { json: pending('web-new') })
      const { code } = await desk.signedIn(['deploy', 'web', '--wait'], { realTime: true })
      expect(code).to.equal(0)
      late.push(performance.now() - changedAt)
    }
    expect(Math.min(...late), late.join(', ')).to.be.below(300)
  })
})

describe('svc projects delete', () => {
  let desk: Desk
  const project = recordOf({
    kind: 'project',
    name: 'proj-1a2b3c4d',
    displayName: 'shop',
    details: { environments: ['production'] },
  })
  beforeEach(async () => {
    desk = await openDesk()
    desk.service.on('GET /projects/proj-1a2b3c4d', { json: project })
    desk.service.on('DELETE /projects/proj-1a2b3c4d', ok)
  })
  afterEach(async () => await desk.close())
  const deletions = () => desk.service.asked.filter(({ method }) => method === 'DELETE').map(({ path }) => path)

  it('confirms with the readable name, which is what the service asks for', async () => {
    expect((await desk.signedIn(['projects', 'delete', 'proj-1a2b3c4d', '-y'])).code).to.equal(0)
    expect(deletions()).to.deep.equal(['/projects/proj-1a2b3c4d?confirmName=shop'])
  })
  it('shows what would be lost, and where', async () => {
    const { code, err } = await desk.signedIn(['-p', 'proj-1a2b3c4d', 'projects', 'delete'], {
      tty: true,
      input: 'shop\n',
    })
    expect([code, deletions().length]).to.deep.equal([0, 1])
    expect(err).to.include(`Delete project shop (proj-1a2b3c4d with environments production, ${desk.service.url})`)
  })
  it('does not take a saved project for an order to delete it', async () => {
    const { code } = await desk.signedIn(['projects', 'delete', '-y'], { env: { SVC_PROJECT: 'proj-1a2b3c4d' } })
    expect([code, deletions()]).to.deep.equal([2, []])
  })
})

describe('svc scale --sleep-after', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    desk.service.on('PATCH /apps/web', { json: { ok: true, pending: [] } })
  })
  afterEach(async () => await desk.close())
  const sleeps = (...list: object[]) =>
    desk.service.on(
      'GET /apps/web/status',
      ...list.map((it) => ({ json: statusOf({ scaleToZero: { idleSeconds: 300, maxReplicas: 1, ...it } }) })),
    )
  const run = async (...more: string[]) => await desk.signedIn(['scale', 'web', '--sleep-after', '300', ...more])

  it('waits for the verdict', async () => {
    sleeps({}, { active: true })
    expect(await run()).to.deep.include({
      code: 0,
      out: 'web sleeps after 5m 0s without a request\n',
      err: '',
      waitedMs: 3000,
    })
    expect(desk.service.asked[0]).to.deep.include({ path: '/apps/web', body: { scaleToZero: true, idleSeconds: 300 } })
  })
  it('says why sleep cannot work', async () => {
    sleeps({}, { active: false, message: 'the serverless add-on is not installed' })
    expect(await run()).to.deep.include({
      code: 0,
      out: 'Saved that web sleeps after 5m 0s without a request\n',
      err: 'web cannot sleep now: the serverless add-on is not installed\n',
    })
    expect(JSON.parse((await run('--json')).out))
      .to.deep.include({ ok: true })
      .and.to.have.nested.property('scaleToZero.active', false)
  })
  it('waits no longer than ten seconds', async () => {
    sleeps({})
    const { code, err, waitedMs } = await run()
    expect([code, waitedMs]).to.deep.equal([0, 10_000])
    expect(err).to.equal('nothing has said yet whether it can; look with `svc status web`\n')
  })
})
