/** A backup of the platform has a log object of each deploy that succeeded, since no status comes back with it. */
import { expect } from 'chai'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { appSpec } from '../../../kinds/apps/kind.ts'
import { annotations, labels } from '../../../kinds/meta/annotations.ts'
import { withSuccessLogs } from '../../../records/platform-backups/success-logs.ts'
import { attemptLogPurpose } from '../../../records/store/attempt-history.ts'

type Log = KubeObject & { data?: Record<string, string> }

const end = { startedAt: '2026-11-28T10:00:01Z', completedAt: '2026-11-28T10:00:09Z', summary: 'all ready' }
const image = `svc/hello:1@sha256:${'0a'.repeat(32)}`
const app = {
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcApp',
  metadata: { name: 'web', uid: 'u1' },
  spec: appSpec.parse({ project: 'proj-1a2b3c4d', environment: 'production', source: {} }),
  status: {
    history: [{ id: 'web-first', ...end, image }],
    lastAttempt: { id: 'web-newer', phase: 'Succeeded', ...end },
  },
}
const recordOf = (name: string, owner = 'u1') => ({
  apiVersion: app.apiVersion,
  kind: 'SvcDeployment',
  metadata: { name, labels: { [labels.owner]: owner }, annotations: { [annotations.acceptedAs]: 'deploy by ann' } },
  spec: { changeTitle: 'First deploy' },
  status: { startedAt: '2026-11-28T10:00:00Z' },
})
const logOf = (name: string, steps: string, owner = 'u1') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { [labels.owner]: owner, [labels.purpose]: attemptLogPurpose } },
  data: { steps, 'pod-web-1': 'panic' },
})
const lines = (id: string, ...more: string[]): string =>
  [
    '2026-11-28T10:00:00Z accepted: First deploy (deploy by ann)',
    `2026-11-28T10:00:01Z applying release ${id}`,
    ...more,
    '2026-11-28T10:00:09Z Succeeded: all ready',
  ].join('\n')

describe('the logs of a backup', () => {
  const found = { app: [app], deployment: [recordOf('web-first'), recordOf('web-newer')] }

  it('have one of each kept deploy that succeeded, with the labels of a log and the image that ran', () => {
    const [first, newer] = withSuccessLogs(found, []) as Log[]
    expect([first?.metadata.name, newer?.metadata.name]).to.deep.equal(['web-first-log', 'web-newer-log'])
    expect(first).to.include({ apiVersion: 'v1', kind: 'ConfigMap' })
    expect(first?.metadata.labels).to.include({ [labels.owner]: 'u1', [labels.purpose]: attemptLogPurpose })
    const pinned = `2026-11-28T10:00:01Z image svc/hello:1 is ${image.split('@')[1]}`
    expect(first?.data).to.deep.equal({ steps: lines('web-first', pinned), image })
    expect(newer?.data).to.deep.equal({ steps: lines('web-newer') })
  })

  it('keep what a log object has besides, and logs of others as they are', () => {
    const known = logOf('web-newer-log', '2026-11-28T10:00:05Z waiting')
    const foreign = logOf('web-first-log', 'of another', 'u2')
    const [one, other] = withSuccessLogs(found, [known, foreign]) as Log[]
    expect(one?.data).to.deep.equal({ steps: lines('web-newer', '2026-11-28T10:00:05Z waiting'), 'pod-web-1': 'panic' })
    expect(other).to.equal(foreign)
  })

  it('have none of deploys whose record is gone, or is of a service before', () =>
    expect(withSuccessLogs({ app: [app], deployment: [recordOf('web-newer', 'u0')] }, [])).to.deep.equal([]))
})
