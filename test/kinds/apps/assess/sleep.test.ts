/** The missing requirements of sleep-when-idle, reported all at once. */
import { expect } from 'chai'
import type { Health } from '../../../../kinds/apps/assess/health.ts'
import { type App, type AppSpec, appSpec } from '../../../../kinds/apps/kind.ts'
import {
  healthAwakeOrNot,
  isKeptAwake,
  mayScale,
  findSleep,
  sleepDrift,
  sleepOf,
  sleepStatus,
  sleepTurn,
  unsaidOfSleep,
} from '../../../../kinds/apps/assess/sleep.ts'
import { mostAwake } from '../../../../kinds/apps/manifests/sleep.ts'
import { shownSleep } from '../../../../kinds/apps/summary.ts'
import { wakeServiceName } from '../../../../kinds/apps/names.ts'
import { defined } from '../../../../contract/defined.ts'
import type { ServiceView } from '../../../../kinds/apps/view.ts'

const up = { addOn: true, asleep: false }
const autoscaling = { minReplicas: 1, maxReplicas: 3, targetCPUUtilization: 50 }

describe('sleep-when-idle', () => {
  const table: [string, Parameters<typeof sleepOf>, object][] = [
    ['works', [{}, 'shop.example.com', true], { active: true }],
    [
      'needs the add-on',
      [{}, 'shop.example.com', false],
      { active: false, message: 'sleep-when-idle is saved but not active: the serverless add-on is not installed' },
    ],
    [
      'needs a host',
      [{}, '', true],
      { active: false, message: 'sleep-when-idle is saved but not active: the service has no public host' },
    ],
    [
      'tells everything',
      [{ autoscaling }, '', false],
      {
        active: false,
        message:
          'sleep-when-idle is saved but not active: the serverless add-on is not installed, the service has no public host, CPU autoscaling is on',
      },
    ],
  ]
  for (const [title, asked, wanted] of table) it(title, () => expect(sleepOf(...asked)).to.deep.equal(wanted))

  const spec = (scaleToZero: Partial<AppSpec['scaleToZero']>, replicas = 1): AppSpec =>
    appSpec.parse({
      project: 'proj-00000001',
      environment: 'production',
      source: { image: { image: 'a:1' } },
      replicas,
      scaleToZero,
    })
  const on = spec({ enabled: true })

  it('is active only where it is asked for', () => {
    expect(mayScale(on, 'a.example.com', true)).to.equal(true)
    expect(mayScale(on, 'a.example.com', false)).to.equal(false)
    expect(mayScale(spec({ enabled: false }), 'a.example.com', true)).to.equal(false)
  })
  it('is not reported yet where it is on again, and the status was written while it was off', () => {
    const always = appSpec.parse({
      project: 'proj-00000001',
      environment: 'production',
      source: { image: { image: 'a:1' } },
    })
    const sleepy = { ...always, scaleToZero: { ...always.scaleToZero, enabled: true } }
    const off = sleepStatus({ status: { scaleToZero: { active: true } } }, always, 'shop.example.com', up)
    const shown = [off, sleepStatus({}, sleepy, '', up), sleepStatus({}, sleepy, 'shop.example.com', up)].map(
      (status) => shownSleep(sleepy, status).scaleToZero?.active,
    )
    expect(shown).to.deep.equal([undefined, false, true])
  })
  it('runs as many copies while active as are set, else as many as without it, and one at least', () => {
    expect([mostAwake(spec({ maxReplicas: 4 }, 2)), mostAwake(spec({}, 3)), mostAwake(spec({}, 0))]).to.deep.equal([
      4, 3, 1,
    ])
  })
  it('is found by the ingress under a name of 63 characters at most that no service has', () => {
    const long = wakeServiceName(`${'a'.repeat(47)}-${'b'.repeat(15)}`, 'uid')
    expect(long).to.match(/^a{47}-wake-[0-9a-f]{8}$/)
    expect(wakeServiceName('web', 'one')).to.not.equal(wakeServiceName('web', 'other'))
    expect(wakeServiceName('a'.repeat(63), 'uid')).to.have.length.at.most(63)
  })

  const health = (reason: Health['reason'], desired: number): Health => ({
    ready: reason === 'Ready',
    reason,
    message: 'as it is',
    replicas: { desired, ready: 0, available: 0 },
    restarts: 0,
  })
  const view = (phase: 'Running' | 'Succeeded' | 'Failed') =>
    ({ app: { status: { lastAttempt: { id: 'a', phase } } }, attemptRuns: phase === 'Running' }) as ServiceView
  const judged: [string, Health, ReturnType<typeof view>, string][] = [
    ['asleep is ready', health('Ready', 0), view('Succeeded'), 'Ready: asleep: a request starts it'],
    ['just put to sleep is ready', health('Progressing', 0), view('Succeeded'), 'Ready: asleep: a request starts it'],
    ['being woken is ready', health('Progressing', 1), view('Succeeded'), 'Ready: as it is'],
    ['woken and in trouble is not', health('CrashLoop', 1), view('Succeeded'), 'CrashLoop: as it is'],
    ['gone is gone', health('Missing', 0), view('Succeeded'), 'Missing: as it is'],
    [
      'asleep verifies no deploy',
      health('Ready', 0),
      view('Running'),
      'Progressing: waiting for a copy to be started, to verify the deploy',
    ],
    ['a deploy waits for its copies', health('Progressing', 1), view('Running'), 'Progressing: as it is'],
    [
      'asleep makes no failed deploy good',
      health('Ready', 0),
      view('Failed'),
      'Progressing: asleep since its deploy failed: a request starts it once more',
    ],
    ['a copy that is up does', health('Ready', 1), view('Failed'), 'Ready: as it is'],
  ]
  for (const [title, seen, of, wanted] of judged)
    it(title, () => {
      const { ready, reason, message } = healthAwakeOrNot(seen, of)
      expect(`${reason}: ${message}`).to.equal(wanted)
      expect(ready).to.equal(reason === 'Ready')
    })

  it('of a service that does not sleep wants its copies', () => {
    const wanted = (replicas: number, active: boolean) =>
      findSleep(view('Succeeded'), { ...on, replicas }, 'a.example.com', health('Ready', 0), { addOn: active }).health
        .message
    expect(wanted(1, true)).to.equal('asleep: a request starts it')
    expect(wanted(1, false)).to.equal('waiting for copies: their number was set to 0')
    expect(wanted(0, false)).to.equal('as it is')
  })

  it('misses its parts while it is active, and has none beside', () => {
    const all = { route: true, scaler: true, service: true }
    const none = { route: false, scaler: false, service: false }
    expect([sleepDrift(true, all), sleepDrift(false, none)]).to.deep.equal([[], []])
    expect(sleepDrift(true, none)).to.have.length(3)
    for (const part of ['route', 'scaler', 'service'] as const)
      expect(sleepDrift(false, { ...none, [part]: true }), part).to.have.length(1)
  })

  it('is kept at a copy only where its scaler is there and asks for a copy', () => {
    const scaler = (minReplicaCount?: number, deletionTimestamp?: string) => ({
      metadata: defined({ deletionTimestamp }),
      spec: defined({ minReplicaCount }),
    })
    expect([isKeptAwake(true, scaler(1)), isKeptAwake(false, scaler(1))]).to.deep.equal([true, false])
    for (const other of [undefined, { metadata: {} }, scaler(), scaler(0), scaler(1, '2026-01-01T00:00:00Z')])
      expect(isKeptAwake(true, other), JSON.stringify(other)).to.equal(false)
  })

  it('corrects its status when that says something else, and says nothing of a service that never had it on', () => {
    const record = (status: App['status']): Pick<App, 'status'> => (status === undefined ? {} : { status })
    const said = (active: boolean, message?: string) =>
      record({ scaleToZero: { active, ...(message === undefined ? {} : { message }) } })
    const off = spec({ enabled: false })
    const unsaid = (app: Pick<App, 'status'>, wanted: AppSpec, addOn: boolean) =>
      unsaidOfSleep(app, sleepStatus(app, wanted, 'h', { addOn, asleep: false }))
    expect(unsaid(record({}), off, true)).to.equal('')
    expect(unsaid(said(true), on, true)).to.equal('')
    expect(unsaid(said(true), on, false)).to.include('the serverless add-on is not installed')
    expect(unsaid(said(false, 'old words'), on, true)).to.equal('sleep-when-idle is on')
    expect(unsaid(said(true), off, true)).to.equal('sleep-when-idle is off')
    expect(sleepStatus(record({}), off, 'h', { addOn: true, asleep: true })).to.deep.equal({})
    expect(sleepStatus(said(true), off, 'h', { addOn: true, asleep: true })).to.deep.equal({
      scaleToZero: { active: false },
      sleeping: false,
    })
    expect(sleepStatus(record({}), on, 'h', { addOn: true, asleep: true })).to.deep.equal({
      scaleToZero: { active: true },
      sleeping: true,
    })
  })

  it('wakes its workflow when it was scaled to zero or up since its status was written', () => {
    const turn = (sleeping: boolean | undefined, desired: number) =>
      sleepTurn(sleeping === undefined ? {} : { status: { sleeping } }, true, health('Ready', desired))
    expect([turn(undefined, 0), turn(true, 0), turn(true, 1), turn(false, 1)]).to.deep.equal([
      'fell asleep',
      '',
      'was woken',
      '',
    ])
  })
})
