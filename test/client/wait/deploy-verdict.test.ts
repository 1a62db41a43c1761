/** When a deploy counts as complete or failed, and when the status still belongs to the previous deploy. */
import { expect } from 'chai'
import { describeDeploy, judgeDeploy, type DeployStatus } from '../../../client/wait/deploy.ts'
import { staleMs } from '../../../client/wait/wait-until.ts'
import { attempt, build, pending, statusOf } from '../status.ts'

const before = statusOf({ lastAttempt: attempt('web-old', 'Succeeded') })
const done = { lastAttempt: attempt('web-new', 'Succeeded') }

const cases: [string, DeployStatus, string][] = [
  ['ready after this deploy', statusOf(done), 'complete'],
  ['ready with a build that succeeded', statusOf({ ...done, build: build('b', 'Succeeded') }), 'complete'],
  ['ready while the build runs', statusOf({ ...done, build: build('b', 'Running') }), 'waiting'],
  ['ready while the build was cancelled', statusOf({ ...done, build: build('b', 'Cancelled') }), 'waiting'],
  ['ready with a change that is not deployed', statusOf({ ...done, pendingChanges: 1 }), 'waiting'],
  ['pending', pending('web-new'), 'waiting'],
  [
    'pending although its attempt failed: it may still heal',
    statusOf({ state: 'pending', lastAttempt: attempt('web-new', 'Failed') }),
    'waiting',
  ],
  ['draft', statusOf({ state: 'draft' }), 'waiting'],
  [
    'failed by this deploy',
    statusOf({ state: 'failed', message: 'no such image', lastAttempt: attempt('web-new', 'Failed') }),
    'failed: no such image',
  ],
  [
    'failed without a message',
    statusOf({ state: 'failed', lastAttempt: attempt('web-new', 'Failed', { errors: ['exit code 1'] }) }),
    'failed: exit code 1',
  ],
  [
    'a failed build',
    statusOf({ state: 'pending', build: build('b', 'Failed', { failureReason: 'no Dockerfile' }) }),
    'failed: the build failed: no Dockerfile',
  ],
  ...(['ready', 'pending', 'draft'] as const).map((state): [string, DeployStatus, string] => [
    `a failed build while the state is ${state}`,
    statusOf({ state, build: build('b', 'Failed') }),
    'failed: the build failed',
  ]),
  [
    'deleting',
    statusOf({ state: 'deleting', lastAttempt: attempt('web-old', 'Succeeded') }),
    'failed: the service is being deleted',
  ],
  [
    'ready again after svc took this deploy back',
    statusOf({
      pendingChanges: 1,
      lastAttempt: attempt('web-back', 'Succeeded', { errors: ['web-new failed: exit code 1'] }),
    }),
    'failed: web-new failed: exit code 1; the release before it runs again',
  ],
  ['ready from before the deploy', before, 'waiting'],
  [
    'failed from before the deploy',
    statusOf({ state: 'failed', message: 'old', lastAttempt: attempt('web-old', 'Failed') }),
    'waiting',
  ],
]

function say(status: DeployStatus, known: DeployStatus | undefined, elapsedMs = 0): string {
  const verdict = judgeDeploy(status, { before: known, elapsedMs })
  return verdict.kind === 'failed' ? `failed: ${verdict.reason}` : verdict.kind
}

describe('judgeDeploy', () => {
  for (const [name, status, wanted] of cases) {
    it(`${name}: ${wanted}`, () => expect(say(status, before)).to.equal(wanted))
  }
  it('does not take the failed build of the deploy before for this one', () => {
    const old = statusOf({ ...before, build: build('b1', 'Failed', { completedAt: '2026-11-21T12:00:00Z' }) })
    expect(say({ ...old, state: 'pending' }, old)).to.equal('waiting')
    expect(say({ ...old, state: 'pending' }, old, 3_000), 'the second look').to.equal('failed: the build failed')
    expect(say({ ...old, lastAttempt: attempt('web-new', 'Running') }, old), 'a new attempt').to.equal(
      'failed: the build failed',
    )
    expect(
      say({ ...old, state: 'pending', build: build('b1', 'Failed', { completedAt: '2026-11-21T13:00:00Z' }) }, old),
    ).to.include('failed')
  })
  it('trusts a server that keeps naming the same attempt after a while', () => {
    expect(say(before, before, staleMs - 1)).to.equal('waiting')
    expect(say(before, before, staleMs)).to.equal('complete')
  })
  it('trusts a server that names no attempts at once', () => {
    expect(say(statusOf(), statusOf())).to.equal('complete')
    expect(say(statusOf(), undefined)).to.equal('complete')
  })
})

describe('describeDeploy', () => {
  const words: [DeployStatus, string, string][] = [
    [pending('a', 'the image cannot be pulled'), 'rolling out', 'the image cannot be pulled'],
    [
      statusOf({ state: 'pending', lastAttempt: attempt('a', 'Running', { summary: 'accepted' }) }),
      'pending',
      'accepted',
    ],
    [statusOf({ state: 'pending', build: build('b', 'WaitingForCI') }), 'build WaitingForCI', ''],
    [statusOf({ pendingChanges: 2 }), 'ready', '2 changes are not deployed'],
  ]
  for (const [status, step, detail] of words) {
    it(`says ${step}${detail === '' ? '' : `: ${detail}`}`, () =>
      expect(describeDeploy(status)).to.deep.equal({ step, detail }))
  }
})
