/** Logs of a service and of its builds: shown, and followed over streams that break. */
import { expect } from 'chai'
import { attempt, statusOf } from '../client/status.ts'
import { openDesk, type Desk } from './run-svc.ts'

const line = (t: string, text: string, pod = 'web-1') => ({
  t,
  service: 'web',
  pod,
  container: 'app',
  line: text,
  level: 'info',
  previous: false,
})

describe('logs', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(async () => await desk.close())

  it('shows what the newest build wrote', async () => {
    const sections = [
      { id: 'clone', title: 'Clone', lines: ['commit 4b825dc'] },
      { id: 'build', title: 'Build', lines: ['#1 FROM busybox', '#2 DONE'] },
      { id: 'push', title: 'Push', lines: ['pushed it'] },
      { id: 'steps', title: 'Steps', lines: ['ready'] },
    ]
    desk.service.on('GET /apps/web/status', { json: statusOf({ lastAttempt: attempt('web-abcde', 'Succeeded') }) })
    desk.service.on('GET /apps/web/deployments/web-abcde/logs', { json: { id: 'web-abcde', sections } })
    const { code, out } = await desk.signedIn(['logs', 'web', '--build'])
    expect([code, out]).to.deep.equal([0, 'commit 4b825dc\n#1 FROM busybox\n#2 DONE\npushed it\n'])
  })
  it('says why there is no log of a build', async () => {
    desk.service.on('GET /apps/web/status', { json: statusOf({ lastAttempt: attempt('web-abcde', 'Running') }) })
    desk.service.on('GET /apps/web/deployments/web-abcde/logs', { json: { id: 'web-abcde', sections: [] } })
    const { code, err } = await desk.signedIn(['logs', 'web', '--build'])
    expect([code, err]).to.deep.equal([0, 'web-abcde has no log of a build: none has written anything yet\n'])
  })
  it('follows what the newest build writes until the deploy has ended, over a broken stream', async () => {
    const event = (section: string, t: string, text: string) =>
      `data: ${JSON.stringify({ section, title: section, t, line: text })}\n\n`
    const [checked, cloned, step, another, pushed, ready] = [
      event('ci', '', 'success  test'),
      event('clone', '2026-11-21T13:00:01Z', 'commit 4b825dc'),
      event('build', '2026-11-21T13:00:02Z', '#1 the same'),
      event('build', '2026-11-21T13:00:02Z', '#1 the same'),
      event('push', '2026-11-21T13:00:03Z', 'pushed it'),
      event('deploy', '2026-11-21T13:00:04Z', 'ready'),
    ]
    desk.service.on('GET /apps/web/status', { json: statusOf({ lastAttempt: attempt('web-abcde', 'Running') }) })
    desk.service.on(
      'GET /apps/web/deployments/web-abcde/logs/stream',
      (response) =>
        void response.writeHead(200).write(checked + cloned + step, () => setTimeout(() => response.destroy(), 20)),
      (response) =>
        response
          .writeHead(200)
          .end([checked, cloned, step, another, pushed, ready, 'event: end\ndata: {}\n\n'].join('')),
    )
    const { code, out, err } = await desk.signedIn(['logs', 'web', '--build', '-f'])
    expect(out.split('\n')).to.deep.equal([
      'success  test',
      'commit 4b825dc',
      '#1 the same',
      '#1 the same',
      'pushed it',
      '',
    ])
    expect([code, err]).to.deep.equal([0, 'the stream was cut off; trying again\n'])
  })
  it('follows a log over a broken stream without repeating a line', async () => {
    const event = (it: object): string => `event: line\ndata: ${JSON.stringify(it)}\n\n`
    const [one, two, three] = [
      line('2026-11-21T13:00:01Z', 'one'),
      line('2026-11-21T13:00:02Z', 'two'),
      line('2026-11-21T13:00:03Z', 'three'),
    ]
    desk.service.on(
      'GET /apps/web/logs/stream',
      (response) =>
        void response.writeHead(200).write(event(one) + event(two), () => setTimeout(() => response.destroy(), 20)),
      { status: 502, json: { error: 'away', code: 'internal_error' } },
      (response) => response.writeHead(200).end(event(one) + event(two) + event(three)),
      { status: 404, json: { error: 'app not found', code: 'not_found' } },
    )
    const { code, out, err } = await desk.signedIn(['logs', 'web', '-f'])
    expect(out.split('\n').map((it) => it.split(' ').at(-1))).to.deep.equal(['one', 'two', 'three', ''])
    expect([code, err]).to.deep.equal([3, 'the stream was cut off; trying again\nerror: app not found\n'])
  })
  it('follows a log until the service is deleted', async () => {
    const written = line('2026-11-21T13:00:01Z', 'one')
    desk.service.on('GET /apps/web/logs/stream', (response) =>
      response.writeHead(200).end(`data: ${JSON.stringify(written)}\n\nevent: end\ndata: {}\n\n`),
    )
    const { code, out, err } = await desk.signedIn(['logs', 'web', '-f'])
    expect([code, out, err]).to.deep.equal([
      0,
      '2026-11-21T13:00:01Z web-1 one\n',
      'the log has ended: the service was deleted, or moved to another place\n',
    ])
  })
  it('follows a log as one object a line', async () => {
    const written = [line('2026-11-21T13:00:01Z', 'one'), line('2026-11-21T13:00:02Z', 'two \u009b2J\u202e')]
    desk.service.on(
      'GET /apps/web/logs/stream',
      (response) =>
        response.writeHead(200).end(written.map((it) => `event: line\ndata: ${JSON.stringify(it)}\n\n`).join('')),
      { status: 404, json: { error: 'app not found', code: 'not_found' } },
    )
    const { code, out } = await desk.signedIn(['logs', 'web', '-f', '--json'])
    const objects = out.trimEnd().split('\n').slice(0, written.length)
    expect(objects.map((text) => JSON.parse(text) as unknown)).to.deep.equal(written)
    expect(objects[1], 'a terminal acts on neither').to.include(String.raw`two \u009b2J\u202e`)
    expect(code).to.equal(3)
  })
})
