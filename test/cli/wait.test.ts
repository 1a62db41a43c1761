/** `--wait`: its output on a terminal and in a log file, and its exit code. */
import { expect } from 'chai'
import { attempt, pending, statusOf } from '../client/status.ts'
import { openDesk, type Desk } from './run-svc.ts'

const before = statusOf({ lastAttempt: attempt('web-old', 'Succeeded') })
const done = statusOf({ lastAttempt: attempt('web-new', 'Succeeded') })
const failed = statusOf({
  state: 'failed',
  message: 'container app keeps exiting',
  lastAttempt: attempt('web-new', 'Failed'),
})
const accepted = { json: { ok: true, pending: [], deployed: true, title: 'Deploying', detail: '', button: 'Deploy' } }
const log = {
  json: {
    id: 'web-new',
    sections: [
      { id: 'steps', title: 'Steps', lines: ['13:00 applied'] },
      { id: 'pod', title: 'Pod web-1', lines: ['panic: \x1b[31mno database'] },
    ],
  },
}

describe('--wait', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    desk.service.on('POST /apps/web/deploy', accepted)
    desk.service.on('GET /apps/web/deployments/web-new/logs', log)
  })
  afterEach(async () => await desk.close())
  const statuses = (...list: object[]) => desk.service.on('GET /apps/web/status', ...list.map((json) => ({ json })))

  it('prints one line for each change and ends with 0', async () => {
    const both = { ...pending('web-new'), replicas: { desired: 2, ready: 3, available: 3 } }
    statuses(before, before, pending('web-new'), pending('web-new'), both, done)
    const { code, out, err } = await desk.signedIn(['deploy', 'web', '--wait'])
    expect([code, err]).to.deep.equal([0, ''])
    expect(out.split('\n')).to.deep.equal([
      '    0s  ready  2/2 ready',
      '    3s  rolling out  1/2 ready  waiting for copies: 1 of 2 available',
      '    9s  pending  2/2 ready  waiting for copies: 1 of 2 available',
      '   12s  ready  2/2 ready',
      '✓ web is ready after 12s: https://web.example.com',
      '',
    ])
  })
  it('is resumed by status --wait, which ends at once where no deploy is open', async () => {
    statuses(pending('web-new'), done)
    const { code, out } = await desk.signedIn(['status', 'web', '--wait'])
    expect([code, out.split('\n').at(-2)]).to.deep.equal([0, '✓ web is ready after 3s: https://web.example.com'])
    statuses(failed)
    expect((await desk.signedIn(['status', 'web', '--wait'])).code).to.equal(5)
    statuses(done)
    expect((await desk.signedIn(['status', 'web', '--wait'])).waitedMs).to.equal(0)
  })
  it('ends with 5, the reason and the last lines of the log when the deploy fails', async () => {
    statuses(before, pending('web-new'), failed)
    const { code, err } = await desk.signedIn(['apps', 'deploy', 'web', '--wait'])
    expect(code).to.equal(5)
    expect(err.split('\n')).to.deep.equal([
      'Steps',
      '  13:00 applied',
      'Pod web-1',
      '  panic: no database',
      'error: the deploy of web failed: container app keeps exiting',
      '',
    ])
  })
  it('ends with 5 all the same when the log may not be read', async () => {
    statuses(before, failed)
    desk.service.on('GET /apps/web/deployments/web-new/logs', {
      status: 403,
      json: { error: 'viewer role cannot access this', code: 'forbidden' },
    })
    const { code, err } = await desk.signedIn(['deploy', 'web', '--wait'])
    expect(code).to.equal(5)
    expect(err).to.include('the log of the deployment cannot be shown: viewer role cannot access this')
  })
  it('ends with 6 and says what it waited for when time is up', async () => {
    statuses(before, pending('web-new', 'no node has capacity for a copy'))
    const { code, err, waitedMs } = await desk.signedIn(['deploy', 'web', '--wait', '--timeout', '1m'])
    expect([code, waitedMs]).to.deep.equal([6, 60_000])
    expect(err).to.equal(
      'error: web is not ready after 1m 0s (no node has capacity for a copy); the deploy goes on, look with `svc status web --wait`\n',
    )
  })
  it('says that the deploy goes on when it is interrupted', async () => {
    statuses(before, pending('web-new'))
    const { code, err } = await desk.signedIn(['deploy', 'web', '--wait'], {
      onSleep: (waitedMs, interrupt) => waitedMs > 5000 && interrupt(),
    })
    expect([code, err]).to.deep.equal([
      1,
      'error: no longer waiting; the deploy of web goes on, look with `svc status web --wait`\n',
    ])
  })
  it('updates one line on a terminal and takes it away at the end', async () => {
    statuses(before, pending('web-new'), done)
    const { code, out } = await desk.signedIn(['deploy', 'web', '--wait'], { tty: true, env: { NO_COLOR: '1' } })
    expect(code).to.equal(0)
    const drawn = out.split('\r\x1b[2K')
    expect(drawn.some((line) => line.includes('rolling out  1/2 ready  waiting for copies'))).to.equal(true)
    expect(drawn.slice(0, -1).join('')).not.to.include('\n')
    expect(drawn.at(-1)).to.equal('✓ web is ready after 3s: https://web.example.com\n')
  })
  it('keeps standard output for the final status with --json', async () => {
    statuses(before, pending('web-new'), done)
    const { code, out, err } = await desk.signedIn(['deploy', 'web', '--wait', '--json'])
    expect([code, JSON.parse(out)]).to.deep.equal([0, done])
    expect(err).to.include('rolling out')
  })
  it('does not deploy when the service cannot be seen', async () => {
    desk.service.on('GET /apps/web/status', { status: 404, json: { error: 'app not found', code: 'not_found' } })
    expect((await desk.signedIn(['deploy', 'web', '--wait'])).code).to.equal(3)
    expect(desk.service.routes()).to.deep.equal(['GET /apps/web/status'])
  })
  it('waits for a rollback to the deployment before the current', async () => {
    statuses(before, pending('web-new'), done)
    desk.service.on('POST /apps/web/rollback', { json: { ok: true } })
    const item = (id: string) => ({
      id,
      phase: 'Recorded',
      image: 'i',
      commit: '',
      trigger: '',
      actor: 'Dashboard',
      changeTitle: '',
      createdAt: '',
    })
    desk.service.on('GET /apps/web/deployments', {
      json: { items: [item('web-active'), item('web-c'), item('web-b'), item('web-a')] },
    })
    const { code, err } = await desk.signedIn(['rollback', 'web', '--wait'])
    expect(code).to.equal(0)
    // Said first, so that a rollback in the wrong place is seen at once.
    expect(err).to.match(/^Rolling web \(project \S+, environment \S+, http\S+\) back to web-b\n/)
    expect(desk.service.asked.find(({ method }) => method === 'POST')).to.deep.include({
      path: '/apps/web/rollback',
      body: { revision: 'web-b' },
    })
  })
  it('a rollback without a target passes over what failed, and says where nothing succeeded', async () => {
    const item = (id: string, outcome?: string) => ({
      ...{ id, phase: 'Recorded', image: 'i', commit: '', trigger: '', actor: 'Dashboard', requestedBy: 'maria' },
      ...{ changeTitle: '', createdAt: '', outcome },
    })
    const none = [item('web-d', 'Failed'), item('web-c', 'Failed'), item('web-b', 'Running')]
    statuses(before)
    desk.service.on('POST /apps/web/rollback', { json: { ok: true } })
    desk.service.on('GET /apps/web/deployments', { json: { items: [...none, item('web-a', 'Succeeded')] } })
    expect((await desk.signedIn(['rollback', 'web'])).code).to.equal(0)
    expect(desk.service.asked.at(-1)?.body).to.deep.equal({ revision: 'web-a' })
    const { out } = await desk.signedIn(['apps', 'deployments', 'web'])
    expect(out.split('\n')[1]).to.match(/^web-d +Failed +i +maria/)
    desk.service.on('GET /apps/web/deployments', { json: { items: none } })
    const { code, err } = await desk.signedIn(['rollback', 'web'])
    expect([code, err]).to.deep.equal([3, 'error: web has no earlier deployment to go back to that succeeded\n'])
  })
  it('waits for a deploy that a variable asked for', async () => {
    desk.service.on('POST /apps/web/secrets/set', { json: { ok: true, secrets: ['KEY'], pending: ['variables'] } })
    statuses(before, pending('web-new'), done)
    const { code, out } = await desk.signedIn(['env', 'set', 'web', 'KEY=-', '--secret', '--wait'], {
      input: 'a=b c\n',
    })
    expect([code, out.includes('a=b c')]).to.deep.equal([0, false])
    expect(desk.service.asked[0]).to.deep.include({
      path: '/apps/web/secrets/set',
      body: { key: 'KEY', value: 'a=b c' },
    })
    expect(desk.service.routes()).to.include('POST /apps/web/deploy')
  })
})
