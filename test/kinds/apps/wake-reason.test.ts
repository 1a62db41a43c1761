/** When the watch wakes a service's workflow once more for what it woke it for before. */
import { expect } from 'chai'
import { annotations } from '../../../kinds/meta/annotations.ts'
import type { Health } from '../../../kinds/apps/health.ts'
import { type App, appSpec } from '../../../kinds/apps/kind.ts'
import { viewOf } from '../../../kinds/apps/view.ts'
import { wakeReasonOf } from '../../../kinds/apps/wake-reason.ts'

const attempt = {
  record: 'x-aaaaa',
  operation: 'deploy',
  actor: 'a',
  requestId: 'r',
  title: 't',
  at: '2026-01-01T00:00:00Z',
}
const app: App = {
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcApp',
  metadata: {
    name: 'x',
    namespace: 'svc-system',
    uid: 'u1',
    annotations: { [annotations.attempt]: JSON.stringify(attempt) },
  },
  spec: appSpec.parse({
    project: 'proj-00000001',
    environment: 'production',
    source: { image: { image: 'a:1' } },
    deploy: { enabled: true },
  }),
}
const health = (reason: Health['reason']): Health => ({
  ready: reason === 'Ready',
  reason,
  message: `copies: ${reason}`,
  replicas: { desired: 1, ready: 0, available: 0 },
  restarts: 0,
})
/** A service at rest whose objects are not what its last pass noted. */
function keyAt(reason: Health['reason'], overwritten = 'a1 b2 c3'): string | undefined {
  const view = viewOf(app)
  const status = { observedIntent: view.intent, lastAttempt: { id: 'x-aaaaa', phase: 'Succeeded' as const } }
  const losses = { missing: [], hosts: [], history: false, turned: '', kept: false, overwritten }
  return wakeReasonOf(viewOf({ ...app, status }), health(reason), { pods: 1, volume: false }, losses)?.key
}

describe('a wake for what was written over', () => {
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
