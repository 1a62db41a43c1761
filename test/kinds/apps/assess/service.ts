/** A service whose attempt runs, failed or succeeded, and what its copies look like: the start of an assessment. */
import { annotations } from '../../../../kinds/meta/annotations.ts'
import type { Health } from '../../../../kinds/apps/assess/health.ts'
import type { Judgement, Limits } from '../../../../kinds/apps/assess/judge.ts'
import { type App, appSpec } from '../../../../kinds/apps/kind.ts'

export const spec = appSpec.parse({
  project: 'proj-00000001',
  environment: 'production',
  source: { image: { image: 'a:1' } },
  deploy: { enabled: true },
})
export const attempt = { operation: 'deploy', actor: 'a', requestId: 'r', title: 't', at: '2026-01-01T00:00:00Z' }

export const record = (status: NonNullable<App['status']>): App => ({
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
export const running = record({ lastAttempt: { id: 'x-aaaaa', phase: 'Running' } })
export const failed = record({ lastAttempt: { id: 'x-aaaaa', phase: 'Failed', summary: 'no capacity' } })
export const up = record({ lastAttempt: { id: 'x-aaaaa', phase: 'Succeeded' } })

export const health = (reason: Health['reason'], restarts = 0): Health => ({
  ready: reason === 'Ready',
  reason,
  message: `copies: ${reason}`,
  replicas: { desired: 1, ready: 0, available: 0 },
  restarts,
})

export const rollout: Limits = { crashRestarts: 3, deadlinePassed: false, isDriftCheck: false, awaited: 'x-aaaaa' }
export const drift: Limits = { crashRestarts: 3, deadlinePassed: false, isDriftCheck: true }

export const success: Judgement = { outcome: 'ended', write: 'success', failure: '' }
export const remade: Judgement = { outcome: 'missing', write: 'nothing' }
