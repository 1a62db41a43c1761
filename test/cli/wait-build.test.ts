/** `--wait` of a service that is built: the steps of its build as they begin, and the last lines of one that failed. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { attempt, build, pending, statusOf } from '../client/status.ts'
import { openDesk, type Desk } from './run-svc.ts'

const accepted = { json: { ok: true, pending: [], deployed: true, title: '', detail: '', button: '' } }
const before = statusOf({ lastAttempt: attempt('web-old', 'Succeeded'), build: build('web-old', 'Succeeded') })
const building = { ...pending('web-new', 'build web-new: building'), build: build('web-new', 'Running') }
const done = statusOf({ lastAttempt: attempt('web-new', 'Succeeded'), build: build('web-new', 'Succeeded') })
const brokenBuild = build('web-new', 'Failed', { failureReason: 'exit code: 7' })
const failed = statusOf({
  state: 'failed',
  message: 'the build failed: exit code: 7',
  build: brokenBuild,
  lastAttempt: attempt('web-new', 'Failed'),
})

const titles = { clone: 'Clone', build: 'Build', push: 'Push', deploy: 'Deploy' }
const lines: [keyof typeof titles, string][] = [
  ['deploy', '2026-11-21T13:00:00Z build web-new: fetching the repository'],
  ['clone', 'fetching refs/heads/main of https://git.example.com/web'],
  ['clone', 'commit 1f2e3d'],
  ['build', '#5 [1/2] FROM docker.io/library/busybox'],
  ['build', '#6 [2/2] RUN make \x1b[2J'],
  ['build', '#6 0.213 cc -o web web.c'],
  ['build', '#5 DONE 0.1s'],
  ['build', '#6 DONE 0.9s'],
  ['push', '#7 exporting to image'],
  ['push', '#7 pushing layers'],
]
const steps = [
  'Clone  fetching refs/heads/main of https://git.example.com/web',
  'Clone  commit 1f2e3d',
  'Build  #5 [1/2] FROM docker.io/library/busybox',
  'Build  #6 [2/2] RUN make ',
  'Push  #7 exporting to image',
]

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  lines.forEach(([section, line], second) => {
    const t = `2026-11-21T13:00:0${second}Z`
    response.write(`data: ${JSON.stringify({ section, title: titles[section], t, line })}\n\n`)
  })
  response.end('event: end\ndata: {}\n\n')
}

describe('--wait of a service that is built', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    desk.service.on('POST /apps/web/deploy', accepted)
    desk.service.on('POST /apps/web/build', { json: { ok: true } })
    desk.service.on('GET /apps/web/deployments/web-new/logs/stream', stream)
  })
  afterEach(async () => await desk.close())
  const statuses = (...list: object[]) => desk.service.on('GET /apps/web/status', ...list.map((json) => ({ json })))
  const stepsIn = (out: string) =>
    out.split('\n').flatMap((line) => /^ +\d+s {2}((?:Clone|Build|Push) .*)$/.exec(line)?.[1] ?? [])

  for (const command of ['deploy', 'build'])
    it(`${command} prints each step of the build once, as it begins`, async () => {
      statuses(before, building, building, building, done)
      const { code, out, err } = await desk.signedIn([command, 'web', '--wait'])
      expect([code, err]).to.deep.equal([0, ''])
      expect(stepsIn(out)).to.deep.equal(steps)
      expect(out).to.match(/^ {4}0s {2}build Running {2}1\/2 ready {2}build web-new: building\n/)
      expect(out.split('\n').at(-2)).to.match(/^✓ web is ready after /)
    })
  it('asks for no log where nothing is built', async () => {
    statuses(before, pending('web-new'), done)
    expect((await desk.signedIn(['deploy', 'web', '--wait'])).code).to.equal(0)
    expect(desk.service.routes().filter((route) => route.endsWith('/stream'))).to.deep.equal([])
  })
  it('ends with 5 and the last lines of a build that failed', async () => {
    statuses(before, building, failed)
    const all = Array.from({ length: 30 }, (_, place) => `#6 0.${place} line ${place}`)
    desk.service.on('GET /apps/web/deployments/web-new/logs', {
      json: { id: 'web-new', sections: [{ id: 'build', title: 'Build', lines: all }] },
    })
    const { code, out, err } = await desk.signedIn(['deploy', 'web', '--wait'])
    expect([code, stepsIn(out)]).to.deep.equal([5, steps])
    expect(err.split('\n')).to.deep.equal([
      'Build',
      ...all.slice(-20).map((line) => `  ${line}`),
      'error: the deploy of web failed: the build failed: exit code: 7',
      '',
    ])
  })
  it('waits all the same where the log may not be read', async () => {
    statuses(before, building, building, done)
    desk.service.on('GET /apps/web/deployments/web-new/logs/stream', {
      status: 403,
      json: { error: 'viewer role cannot access this', code: 'forbidden' },
    })
    const { code, out } = await desk.signedIn(['deploy', 'web', '--wait'])
    expect(code).to.equal(0)
    expect(out).to.include('the log of the build cannot be shown: viewer role cannot access this')
  })
})
