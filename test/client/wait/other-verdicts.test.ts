/** When a deploy of an environment, a scaling and a check of the domain have ended. */
import { expect } from 'chai'
import { judgeDomain, type Domain } from '../../../client/wait/domain.ts'
import { judgeEnvironment, undeployed, type Summaries } from '../../../client/wait/environment.ts'
import { judgeScale } from '../../../client/wait/scale.ts'
import { staleMs, type Verdict } from '../../../client/wait/wait-until.ts'
import { recordOf } from '../records.ts'
import { statusOf } from '../status.ts'

const say = (verdict: Verdict): string => (verdict.kind === 'failed' ? `failed: ${verdict.reason}` : verdict.kind)

describe('judgeEnvironment', () => {
  const of = (name: string, changes: object = {}): Summaries[number] => recordOf({ name, ...changes }).resource
  const awaited = [of('web', { pendingChanges: 1, state: 'draft' }), of('db', { pendingChanges: 2 })]
  const cases: [string, Summaries, string][] = [
    ['all ready', [of('web'), of('db')], 'complete'],
    ['one on its way', [of('web'), of('db', { state: 'pending' })], 'waiting'],
    ['one as it was before', [of('web'), awaited[1] as Summaries[number]], 'waiting'],
    [
      'a failure while another is on its way',
      [of('web', { state: 'failed' }), of('db', { state: 'pending' })],
      'waiting',
    ],
    ['a failure at the end', [of('web', { state: 'failed', message: 'no image' }), of('db')], 'failed: web: no image'],
    [
      'two failures',
      [of('web', { state: 'failed', message: 'no image' }), of('db', { state: 'failed' })],
      'failed: web: no image; db',
    ],
    [
      'a failure from before that is deployed only now',
      [of('web', { state: 'failed', pendingChanges: 1 }), of('db')],
      'waiting',
    ],
    ['one that is being deleted', [of('web', { state: 'deleting' }), of('db')], 'failed: web: it is being deleted'],
    ['one that is gone', [of('db')], 'failed: web: it was deleted'],
  ]
  for (const [name, now, wanted] of cases)
    it(`${name}: ${wanted}`, () => expect(say(judgeEnvironment(now, awaited))).to.equal(wanted))
  it('awaits what has undeployed changes and stays', () => {
    const all = [...awaited, of('old'), of('gone', { pendingChanges: 1, state: 'deleting' })]
    expect(undeployed(all).map(({ name }) => name)).to.deep.equal(['web', 'db'])
  })
})

describe('judgeScale', () => {
  const copies = (desired: number, ready: number) => ({ replicas: { desired, ready, available: ready } })
  const cases: [string, Parameters<typeof statusOf>[0], number, string][] = [
    ['as many as wanted', copies(3, 3), 0, 'complete'],
    ['the number from before', copies(2, 2), 0, 'waiting'],
    ['too few ready', copies(3, 1), staleMs, 'waiting'],
    ['pending', { ...copies(3, 3), state: 'pending' }, staleMs, 'waiting'],
    ['asleep', { ...copies(3, 0), sleeping: true }, 0, 'complete'],
    ['another number that lasts, as autoscaling wants it', copies(5, 5), staleMs, 'complete'],
    ['failed at once, maybe from before', { ...copies(3, 1), state: 'failed', message: 'no capacity' }, 0, 'waiting'],
    [
      'failed for a while',
      { ...copies(3, 1), state: 'failed', message: 'no capacity' },
      staleMs,
      'failed: no capacity',
    ],
    ['draft', { state: 'draft' }, 0, 'failed: it is a draft: the number counts from its first deploy'],
    ['deleting', { state: 'deleting' }, 0, 'failed: the service is being deleted'],
  ]
  for (const [name, changes, elapsedMs, wanted] of cases)
    it(`${name}: ${wanted}`, () => expect(say(judgeScale(statusOf(changes), 3, elapsedMs))).to.equal(wanted))
})

describe('judgeDomain', () => {
  const domain: Domain = {
    rootDomain: 'example.com',
    dashboardURL: 'https://svc.example.com',
    dashboardExposure: 'ingress',
    configured: true,
    ready: false,
    reason: 'PendingDNS',
    message: 'no address yet',
  }
  const cases: [string, Partial<Domain>, number, string][] = [
    ['verified', { ready: true, reason: 'Verified' }, 0, 'complete'],
    ['the domain before', { ready: true, rootDomain: 'example.org' }, 0, 'waiting'],
    ['on its way', {}, staleMs, 'waiting'],
    ['timed out before this one was saved', { reason: 'VerificationTimedOut' }, 0, 'waiting'],
    ['timed out', { reason: 'VerificationTimedOut' }, staleMs, 'failed: no address yet'],
  ]
  for (const [name, changes, elapsedMs, wanted] of cases)
    it(`${name}: ${wanted}`, () =>
      expect(say(judgeDomain({ ...domain, ...changes }, { rootDomain: 'example.com' }, elapsedMs))).to.equal(wanted))
})
