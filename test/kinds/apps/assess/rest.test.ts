/** What an assessment finds missing of a service that rests, and what is judged of it. */
import { expect } from 'chai'
import { annotations, labels } from '../../../../kinds/meta/annotations.ts'
import { assess, judge, type Judgement, type Limits, type Snapshot } from '../../../../kinds/apps/assess/judge.ts'
import type { App } from '../../../../kinds/apps/kind.ts'
import { viewOf } from '../../../../kinds/apps/view.ts'
import { attempt, drift, failed, record, remade, rollout, running, spec, success, up } from './service.ts'

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
