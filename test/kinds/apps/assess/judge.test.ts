/**
 * What a pass does with its observations, as a table: the status that it writes, and the result that the workflow gets.
 */
import { expect } from 'chai'
import { judge, type Judgement, type Limits, type Observed } from '../../../../kinds/apps/assess/judge.ts'
import type { Health } from '../../../../kinds/apps/assess/health.ts'
import type { App } from '../../../../kinds/apps/kind.ts'
import { viewOf } from '../../../../kinds/apps/view.ts'
import { drift, failed, health, remade, rollout, running, spec, success, up } from './service.ts'

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

const late: Limits = { ...rollout, deadlinePassed: true }
const waiting: Judgement = { outcome: 'waiting', write: 'health' }
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
