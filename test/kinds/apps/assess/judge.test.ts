/**
 * What a pass does with its observations, as a table: the status that it writes, and the result that the workflow gets.
 */
import { expect } from 'chai'
import { annotations, labels } from '../../../../kinds/meta/annotations.ts'
import type { Health } from '../../../../kinds/apps/assess/health.ts'
import {
  assess,
  judge,
  type Judgement,
  type Limits,
  type Observed,
  type Snapshot,
} from '../../../../kinds/apps/assess/judge.ts'
import { type App, appSpec } from '../../../../kinds/apps/kind.ts'
import { viewOf } from '../../../../kinds/apps/view.ts'
import { type Losses, wakeReasonOf } from '../../../../kinds/apps/assess/wake-reason.ts'

const spec = appSpec.parse({
  project: 'proj-00000001',
  environment: 'production',
  source: { image: { image: 'a:1' } },
  deploy: { enabled: true },
})
const attempt = { operation: 'deploy', actor: 'a', requestId: 'r', title: 't', at: '2026-01-01T00:00:00Z' }

const record = (status: NonNullable<App['status']>): App => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcApp',
  metadata: {
    name: 'x',
    namespace: 'svc-system',
    uid: 'u1',
    annotations: { [annotations.attempt]: JSON.stringify({ ...attempt, record: 'x-aaaaa' }) },
  },
  spec,
  status,
})
const running = record({ lastAttempt: { id: 'x-aaaaa', phase: 'Running' } })
const failed = record({ lastAttempt: { id: 'x-aaaaa', phase: 'Failed', summary: 'no capacity' } })
const up = record({ lastAttempt: { id: 'x-aaaaa', phase: 'Succeeded' } })

const health = (reason: Health['reason'], restarts = 0): Health => ({
  ready: reason === 'Ready',
  reason,
  message: `copies: ${reason}`,
  replicas: { desired: 1, ready: 0, available: 0 },
  restarts,
})

const seen = (app: App, reason: Health['reason'], change: Partial<Observed> = {}): Observed => ({
  view: viewOf(app),
  spec,
  isResting: app !== running,
  health: health(reason),
  address: { host: '', url: '', claims: [] },
  lost: [],
  missing: [],
  overwritten: '',
  unsaid: '',
  isMoved: false,
  historyMissing: false,
  sleep: { active: false, status: {} },
  ...change,
})
const lost: Observed['lost'] = [{ host: 'x.example.com', trouble: 'service' }]
const crashing = (restarts: number): Partial<Observed> => ({ health: health('CrashLoop', restarts) })
const none = { desired: 0, ready: 0, available: 0 }
const takenAway: Partial<Observed> = { health: { ...health('Progressing'), replicas: none, takenAway: true } }
const noCopies: Partial<Observed> = { health: { ...health('Ready'), replicas: none }, spec: { ...spec, replicas: 0 } }
const withoutClaim: Partial<Observed> = { missing: ['PersistentVolumeClaim'] }
const threshold = { ...spec, deploy: { ...spec.deploy, failureThreshold: 2 } }

const rollout: Limits = { crashRestarts: 3, deadlinePassed: false, isDriftCheck: false, awaited: 'x-aaaaa' }
const late: Limits = { ...rollout, deadlinePassed: true }
const drift: Limits = { crashRestarts: 3, deadlinePassed: false, isDriftCheck: true }

const success: Judgement = { outcome: 'ended', write: 'success', failure: '' }
const waiting: Judgement = { outcome: 'waiting', write: 'health' }
const remade: Judgement = { outcome: 'missing', write: 'nothing' }
const disturbed: Judgement = { outcome: 'ended', write: 'health', failure: '' }
const failure = (why: string): Judgement => ({ outcome: 'ended', write: 'failure', why, failure: why })

describe('the judgement of a look', () => {
  const table: [title: string, Observed, Limits, Judgement][] = [
    ['a rollout whose copies are up succeeds', seen(running, 'Ready'), rollout, success],
    ['a rollout whose copies are up succeeds after its deadline too', seen(running, 'Ready'), late, success],
    ['a rollout whose copies start is waited for', seen(running, 'Progressing'), rollout, waiting],
    [
      'a rollout that is not ready at its deadline fails',
      seen(running, 'NoRoom'),
      late,
      failure('not ready in time: copies: NoRoom'),
    ],
    [
      'a rollout whose trouble nothing but another deploy ends fails at once',
      seen(running, 'ContainerConfig', { health: { ...health('ContainerConfig'), lasting: true } }),
      rollout,
      failure('copies: ContainerConfig'),
    ],
    [
      'a rollout whose container cannot be started as yet is waited for',
      seen(running, 'ContainerConfig'),
      rollout,
      waiting,
    ],
    ['a rollout is given a few restarts', seen(running, 'CrashLoop', crashing(2)), rollout, waiting],
    [
      'a rollout that crashes too often fails',
      seen(running, 'CrashLoop', crashing(3)),
      rollout,
      failure('copies: CrashLoop, 3 restarts'),
    ],
    [
      'a rollout that crashes as often as its service allows fails',
      seen(running, 'CrashLoop', { ...crashing(2), spec: threshold }),
      rollout,
      failure('copies: CrashLoop, 2 restarts'),
    ],
    [
      'restarts end no attempt where live settings alone are applied',
      seen(up, 'CrashLoop', { ...crashing(9), isResting: false }),
      rollout,
      waiting,
    ],
    [
      'live settings that are not applied in time fail no attempt',
      seen(up, 'NoRoom', { isResting: false }),
      late,
      { outcome: 'ended', write: 'failure', why: 'not ready in time: copies: NoRoom', failure: '' },
    ],
    ['a rollout whose Deployment is gone is made again', seen(running, 'Missing'), rollout, remade],
    [
      'a rollout whose Deployment is gone at its deadline fails',
      seen(running, 'Missing'),
      late,
      failure('not ready in time: copies: Missing'),
    ],
    [
      'what rests and is gone is made again at any time',
      seen(up, 'Missing'),
      late,
      { outcome: 'missing', write: 'health' },
    ],
    [
      'a rollout whose copies were taken away starts them again',
      seen(running, 'Progressing', takenAway),
      rollout,
      { outcome: 'missing', write: 'health' },
    ],
    [
      'so do live settings that are applied',
      seen(up, 'Progressing', { ...takenAway, isResting: false }),
      rollout,
      { outcome: 'missing', write: 'health' },
    ],
    ['none are taken away of a service that wants none', seen(running, 'Ready', noCopies), rollout, success],
    ['a rollout whose host belongs to another service goes back', seen(running, 'Ready', { lost }), rollout, remade],
    ['what rests and is up stays so', seen(up, 'Ready'), drift, success],
    ['what rests and is disturbed says so', seen(up, 'Progressing'), drift, disturbed],
    [
      'what rests and is gone says so and is made again',
      seen(up, 'Missing'),
      drift,
      { outcome: 'missing', write: 'health' },
    ],
    ['what rests and lacks a part is made again', seen(up, 'Ready', { missing: ['Service'] }), drift, remade],
    [
      'a rollout does not wait for a part that it made',
      seen(running, 'Ready', { missing: ['Service'] }),
      rollout,
      success,
    ],
    ['a rollout whose volume is gone makes it again', seen(running, 'Progressing', withoutClaim), rollout, remade],
    [
      'a rollout whose volume is gone at its deadline fails',
      seen(running, 'Progressing', withoutClaim),
      late,
      failure('not ready in time: copies: Progressing'),
    ],
    ['what rests and lost a host is made again', seen(up, 'Ready', { lost }), drift, remade],
    [
      'what failed and is gone waits for a retry',
      seen(failed, 'Missing'),
      drift,
      { outcome: 'ended', write: 'nothing', failure: '' },
    ],
    [
      'what failed and lacks a part waits for a retry',
      seen(failed, 'Ready', { missing: ['Service'] }),
      drift,
      { outcome: 'ended', write: 'nothing', failure: '' },
    ],
    ['what failed and came up after all is ready', seen(failed, 'Ready'), rollout, success],
    [
      'a failure that was written and not received is answered again',
      seen(failed, 'Progressing'),
      rollout,
      { outcome: 'ended', write: 'health', failure: 'no capacity' },
    ],
    [
      'a failure that was written and not received is answered again where nothing was made',
      seen(failed, 'Missing'),
      rollout,
      { outcome: 'ended', write: 'nothing', failure: 'no capacity' },
    ],
    [
      'the failure of another attempt is not',
      seen(failed, 'Progressing'),
      { ...rollout, awaited: 'x-bbbbb' },
      disturbed,
    ],
    ['nor is it news to a check of what rests', seen(failed, 'Progressing'), drift, disturbed],
    [
      'but to one of a run that has not seen that end',
      seen(failed, 'Progressing'),
      { ...drift, awaited: 'x-aaaaa' },
      { outcome: 'ended', write: 'health', failure: 'no capacity' },
    ],
  ]
  for (const [title, observed, limits, wanted] of table)
    it(title, () => expect(judge(observed, limits)).to.deep.equal(wanted))
})

describe('what a service that rests does not have yet', () => {
  const ready = (status: 'True' | 'False', reason: string, url = ''): App =>
    record({
      url,
      conditions: [{ type: 'Ready', status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    })
  const auto = { domain: 'apps.example.com' }
  const url = 'http://x-proj-00000001.apps.example.com'
  const release = { [annotations.release]: 'x-aaaaa' }
  const copies = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
  const headOf = (applied: string) => ({
    metadata: { labels: { [labels.owner]: 'u1' }, annotations: { [annotations.applied]: applied } },
  })
  const head = headOf('aaaaaaaa')
  const whole: Snapshot = {
    deployment: { metadata: { generation: 1, annotations: release }, spec: { replicas: 1 }, status: copies },
    pods: [],
    made: { ServiceAccount: head, Service: head, Ingress: head },
    applied: '- aaaaaaaa aaaaaaaa aaaaaaaa - -',
    addOn: false,
    hosts: { auto, reserved: [], services: { by: () => [] } },
    history: { get: () => undefined },
    sleep: { route: false, scaler: false, service: false },
    nodes: '',
  }
  const parts: Partial<Snapshot> = {
    made: { ServiceAccount: head, Ingress: head },
    applied: '- aaaaaaaa - aaaaaaaa - -',
  }
  const overwritten = { made: { ...whole.made, Service: headOf('bbbbbbbb') } }
  const empty = { ...whole.deployment, metadata: { annotations: release }, spec: { replicas: 0 } }
  const reserved = { ...whole.hosts, reserved: ['x-proj-00000001.apps.example.com'] }
  const moved = ready('True', 'Ready', 'http://x.old.example.com')
  const waits = ready('False', 'HostTaken')
  const table: [title: string, App, Partial<Snapshot>, Judgement['outcome']][] = [
    ['it has all', ready('True', 'Ready', url), {}, 'ended'],
    ['a part is gone', ready('True', 'Ready', url), parts, 'missing'],
    ['its copies were taken away', ready('True', 'Ready', url), { deployment: empty }, 'missing'],
    ['a pass that was cut off wrote over it', ready('True', 'Ready', url), overwritten, 'missing'],
    ['what was applied is not known', ready('True', 'Ready', url), { applied: undefined }, 'ended'],
    ['its copies are on other nodes', ready('True', 'Ready', url), { nodes: 'eu/' }, 'missing'],
    [
      'something would put it to sleep',
      ready('True', 'Ready', url),
      { sleep: { route: true, scaler: false, service: false } },
      'missing',
    ],
    ['its host is the platform’s by now', ready('True', 'Ready', url), { hosts: reserved }, 'missing'],
    ['the platform gives it another address', moved, {}, 'missing'],
    [
      'it has the old address while it is not ready',
      ready('False', 'Progressing', 'http://x.old.example.com'),
      {},
      'ended',
    ],
    ['a host that it waited for is free', waits, {}, 'missing'],
    ['its sleep is off and its status says on', sleeping(), {}, 'missing'],
  ]
  const look = (app: App, change: Partial<Snapshot>, limits: Limits, isResting = true): Judgement => {
    const view = viewOf(app)
    const found = assess(view, spec, { ...whole, ...change })
    return judge({ view, spec, isResting, ...found }, limits)
  }
  function sleeping(): App {
    const app = ready('True', 'Ready', url)
    return { ...app, status: { ...app.status, scaleToZero: { active: true }, sleeping: false } }
  }
  for (const [title, app, change, outcome] of table)
    it(title, () => expect(look(app, change, drift).outcome).to.equal(outcome))

  it('is not asked of its address and sleep at the end of a rollout, which says them', () => {
    for (const app of [moved, waits, sleeping()]) expect(look(app, {}, rollout), app.status?.url).to.deep.equal(success)
    expect(look(waits, {}, drift, false)).to.deep.equal(success)
  })

  it('reports a lost host of a service that waits for one, during a deploy too', () =>
    expect(look(waits, { hosts: reserved }, rollout)).to.deep.equal(remade))

  const active = (phase: string, startedAt = attempt.at) => ({ get: () => ({ status: { phase, startedAt } }) })
  const histories: [title: string, App, Snapshot['history'], missing: boolean][] = [
    ['of its success is missing before there is any', up, { get: () => undefined }, true],
    ['of its success is missing while `<app>-active` has the rollout', up, active('RollingOut'), true],
    [
      'of its success is missing while `<app>-active` has another',
      up,
      active('Available', '2025-01-01T00:00:00Z'),
      true,
    ],
    ['of its success is there', up, active('Available'), false],
    ['is not missing of what runs yet', running, { get: () => undefined }, false],
    ['is not missing of what failed', failed, { get: () => undefined }, false],
  ]
  for (const [title, app, history, missing] of histories)
    it(`a history ${title}`, () =>
      expect(assess(viewOf(app), spec, { ...whole, history }).historyMissing).to.equal(missing))
})

/** Of a service at rest. */
function wakeKey(reason: Health['reason'], change: Partial<Losses>, status: App['status'] = {}): string | undefined {
  const view = viewOf(record({ ...up.status, ...status, observedIntent: viewOf(up).intent }))
  const losses = { missing: [], hosts: [], history: false, turned: '', kept: false, overwritten: '', ...change }
  return wakeReasonOf(view, health(reason), { pods: 1, volume: false }, losses)?.key
}

describe('a wake for a history that was not written', () => {
  const keyAt = (status: 'True' | 'False'): string | undefined => {
    const condition = { type: 'Ready', status, reason: '', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
    return wakeKey('Ready', { history: true }, { conditions: [condition] })
  }

  it('comes once while the record says the same', () => {
    expect(keyAt('True')).to.be.a('string').and.equal(keyAt('True'))
  })

  it('comes once more where the look before found a copy away for a moment, and waits for it', () => {
    expect(keyAt('False')).to.be.a('string').and.not.equal(keyAt('True'))
  })
})

describe('a wake for what was written over', () => {
  /** Its objects are not what its last pass noted. */
  const keyAt = (reason: Health['reason'], overwritten = 'a1 b2 c3') => wakeKey(reason, { overwritten })

  it('comes once for the same objects and copies', () => {
    expect(keyAt('Progressing')).to.be.a('string').and.equal(keyAt('Progressing'))
  })

  it('comes once more when the copies are up: the look before may have begun to wait for them', () => {
    expect(keyAt('Ready')).to.be.a('string').and.not.equal(keyAt('Progressing'))
  })

  it('comes once more for other objects', () => {
    expect(keyAt('Ready', 'a1 b2 d4')).to.not.equal(keyAt('Ready'))
  })
})
