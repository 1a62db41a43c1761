/** `--wait` of what is sent once more or set up: runs of schedules, deliveries, projects and environments. */
import { expect } from 'chai'
import { recordOf } from '../client/records.ts'
import { openDesk, type Desk } from './run-svc.ts'

const ok = { json: { ok: true } }
const notFound = { status: 404, json: { error: 'run not found', code: 'not_found' } }
const project = 'proj-1a2b3c4d'

describe('--wait', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(async () => await desk.close())

  describe('of a run of a schedule', () => {
    const plannedAt = '2026-11-23T12:00:00.000Z'
    const before = { plannedAt: '2026-11-23T03:00:00.000Z', phase: 'Failed', message: 'answered 500' }
    const runs = (...of: object[][]) =>
      desk.service.on(
        'GET /apps/fn/schedules',
        ...of.map((each) => ({ json: { items: [{ name: 'nightly', runs: [...each, before] }] } })),
      )
    const run = async (...more: string[]) =>
      await desk.signedIn(['functions', 'triggers', 'run', 'fn', 'nightly', '--wait', ...more])
    beforeEach(() => desk.service.on('POST /apps/fn/schedules/nightly/run', { json: { ok: true, plannedAt } }))

    it('ends with 0 when it succeeded, whatever the runs before and after it did', async () => {
      const own = { plannedAt, phase: 'Succeeded', message: 'answered 204' }
      const later = { plannedAt: '2026-11-23T12:01:00.000Z', phase: 'Failed', message: 'answered 500' }
      runs([], [later, own])
      const { code, out, err } = await run()
      expect([code, out, err]).to.deep.equal([
        0,
        '    0s  no end is known yet\n    3s  Succeeded  answered 204\n✓ nightly is complete after 3s\n',
        '',
      ])
      runs([own])
      const json = await run('--json')
      expect([json.code, JSON.parse(json.out)]).to.deep.equal([0, own])
    })
    it('ends with 5 and the first line of an answer that is an error', async () => {
      runs([{ plannedAt, phase: 'Failed', message: 'answered 500: no luck' }])
      const { code, err } = await run()
      expect([code, err]).to.deep.equal([
        5,
        'error: the run of nightly did not succeed: Failed: answered 500: no luck\n',
      ])
    })
    it('ends with 6 and how to look when time is up', async () => {
      runs([])
      const { code, err } = await run('--timeout', '9s')
      expect([code, err]).to.deep.equal([
        6,
        'error: nightly is not complete after 9s; the run goes on, look with `svc functions triggers list fn`\n',
      ])
    })
    it('ends with 1 where an older service does not say which run it began', async () => {
      desk.service.on('POST /apps/fn/schedules/nightly/run', ok)
      const { code, err } = await run()
      expect([code, err]).to.deep.equal([
        1,
        'error: the run was begun; this service does not say which it is, look with `svc functions triggers list fn`\n',
      ])
    })
  })

  describe('of a delivery that is sent again', () => {
    const [old, next] = ['01234567-0123-0123-0123-0123456789ab', '76543210-0123-0123-0123-0123456789ab']
    const sent = (...of: (object | undefined)[]) =>
      desk.service.on(
        `GET /runs/${next}`,
        ...of.map((each) => (each === undefined ? notFound : { json: { id: next, steps: [], ...each } })),
      )
    const redeliver = async (...more: string[]) =>
      await desk.signedIn(['-p', project, 'webhooks', 'redeliver', old, '--wait', ...more])
    const step = { kind: 'did', at: '', text: 'Send it to the webhook' }
    const failing = { outcome: 'running', phase: 'Running', steps: [{ ...step, error: 'answered 503' }] }
    beforeEach(() => desk.service.on(`POST /projects/${project}/webhooks/redeliver`, { json: { ok: true, run: next } }))

    it('ends with 0 when it is received, and shows why a try failed', async () => {
      sent(undefined, failing, { outcome: 'ended', phase: 'Delivered' })
      const { code, out, err } = await redeliver()
      expect([code, out, err]).to.deep.equal([
        0,
        [
          '    0s  not begun yet',
          '    3s  Running  the last try failed: answered 503',
          '    6s  Delivered',
          '✓ the event is delivered after 6s',
          '',
        ].join('\n'),
        '',
      ])
    })
    it('ends with 5 when it is tried no more', async () => {
      sent({ outcome: 'failed', phase: 'GivenUp', failure: 'not delivered in time: answered 503' })
      const given = await redeliver()
      expect([given.code, given.err]).to.deep.equal([
        5,
        'error: the event was not delivered: not delivered in time: answered 503\n',
      ])
      sent({ outcome: 'ended', phase: 'Withdrawn' })
      const withdrawn = await redeliver()
      expect([withdrawn.code, withdrawn.err]).to.deep.equal([
        5,
        'error: the event was not delivered: its webhook was disabled or deleted meanwhile\n',
      ])
    })
    it('ends with 6, with the error of the last try and how to look, when time is up', async () => {
      sent(failing)
      const { code, err } = await redeliver('--timeout', '6s')
      expect([code, err]).to.deep.equal([
        6,
        `error: the event is not delivered after 6s (answered 503); the delivery goes on, look with \`svc runs show ${next}\`\n`,
      ])
    })
  })

  describe('of what a project gets', () => {
    const at = (state: string, observedIntent: string, message = '') => {
      const { resource, spec } = recordOf({ kind: 'project', name: project, state, message } as never)
      return { json: { resource, spec, status: { observedIntent } } }
    }
    const inProject = async (...args: string[]) => await desk.signedIn(['-p', project, ...args, '--wait'])

    it('ends when an environment is set up, not with the ready of before', async () => {
      desk.service.on(`POST /projects/${project}/environments`, ok)
      const pending = at('pending', 'a', 'waiting to be set up')
      desk.service.on(`GET /projects/${project}`, at('ready', 'a'), at('ready', 'a'), pending, at('ready', 'b'))
      const { code, out, err } = await inProject('environments', 'create', 'staging')
      expect([code, out, err]).to.deep.equal([
        0,
        '    0s  project ready\n    3s  project pending  waiting to be set up\n    6s  project ready\n' +
          '✓ staging is ready after 6s\n',
        '',
      ])
    })
    it('ends with 5 where the network cannot be set up', async () => {
      desk.service.on(`POST /projects/${project}/network`, ok)
      desk.service.on(`GET /projects/${project}`, at('ready', 'a'), at('failed', 'b', 'the policy was refused'))
      const { code, err } = await inProject('projects', 'network', '--isolation', 'Project')
      expect([code, err]).to.deep.equal([5, 'error: the change of the network failed: the policy was refused\n'])
    })
    it('ends when a new project is set up, and names it', async () => {
      desk.service.on('POST /projects', { json: { ok: true, project } })
      desk.service.on(`GET /projects/${project}`, at('pending', ''), at('ready', 'a'))
      const { code, out } = await desk.signedIn(['projects', 'create', '--wait'])
      expect([code, out.split('\n').at(0), out.split('\n').at(-2)]).to.deep.equal([
        0,
        `Created project ${project}`,
        `✓ ${project} is ready after 3s`,
      ])
    })
  })
})
