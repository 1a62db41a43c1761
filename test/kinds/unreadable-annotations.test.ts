/** Annotations of svc written with kubectl: an unreadable one is reported in a message, and no rule throws. */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { releaseSpecOf, withSpec } from '../../kinds/apps/draft.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { wakeReasonOf } from '../../kinds/apps/wake-reason.ts'
import { deployTitle, pendingWords } from '../../kinds/apps/pending-words.ts'
import { appState, lastAttemptOf } from '../../kinds/apps/state.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { databaseDraft, databaseRules, databaseState } from '../../kinds/databases/draft.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import { deployRequestOf } from '../../kinds/provision/deploy-request.ts'
import { withEdit } from '../../kinds/provision/draft.ts'
import { provisionPlan } from '../../kinds/provision/plan.ts'

const nonsense = [
  '',
  '5',
  'null',
  '"text"',
  '[]',
  '{}',
  '{"record": "x"',
  '{"record": {}, "replicas": "many"}',
  'hunter2',
]
const health = {
  ready: true,
  reason: 'Ready' as const,
  message: '',
  replicas: { desired: 1, ready: 1, available: 1 },
  restarts: 0,
}

const spec = appSpec.parse({
  project: 'proj-00000001',
  environment: 'production',
  source: { image: { image: 'a:1' } },
  deploy: { enabled: true },
})
const attempt = JSON.stringify({
  record: 'x-aaaaa',
  operation: 'deploy',
  actor: 'a',
  requestId: 'r',
  title: 't',
  at: '2026-01-01T00:00:00Z',
})
const app = (notes: Record<string, string>): App => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcApp',
  metadata: {
    name: 'x',
    uid: 'u1',
    annotations: {
      [annotations.attempt]: attempt,
      [annotations.lastDeployed]: JSON.stringify(spec),
      [annotations.pendingChanges]: 'settings',
      ...notes,
    },
  },
  spec: { ...spec, port: 81 },
})
const database = (notes: Record<string, string>): Database => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcDatabase',
  metadata: { name: 'x', uid: 'u1', annotations: { [annotations.pendingChanges]: 'settings', ...notes } },
  spec: databaseSpec.parse({
    project: 'proj-00000001',
    environment: 'production',
    engine: 'postgres',
    deploy: { enabled: true },
  }),
})

describe('annotations that cannot be read', () => {
  for (const name of [annotations.attempt, annotations.lastDeployed, annotations.releaseSpec])
    for (const text of nonsense)
      it(`${name} ${JSON.stringify(text)} stops no rule`, () => {
        const seen = app({ [name]: text })
        for (const rule of [appState, lastAttemptOf, pendingWords, deployTitle, releaseSpecOf]) rule(seen)
        const view = viewOf(seen)
        expect(view.plan.name).to.equal(seen.metadata.name)
        const losses = { missing: [], hosts: [], history: false, turned: '', kept: false, overwritten: '' }
        wakeReasonOf(view, health, { pods: 1, volume: false }, losses)
        expect(
          withSpec(seen, { ...seen.spec, replicas: 2 }).metadata.annotations?.[annotations.pendingChanges],
        ).to.be.a('string')
        const server = database({ [name]: text })
        databaseState(server)
        deployRequestOf(server)
        provisionPlan(databaseRules, 'x', server)
        withEdit(databaseDraft, server, server.spec)
      })

  for (const text of nonsense) {
    it(`last-deployed ${JSON.stringify(text)} is reported without its text, and applies nothing that is pending`, () => {
      const { unreadable = '', lastDeployed } = viewOf(app({ [annotations.lastDeployed]: text }))
      expect(lastDeployed).to.equal(undefined)
      expect(unreadable).to.match(/^the annotation svc\.dev\/last-deployed cannot be read: ./)
      expect(unreadable).to.not.include('hunter2')
      expect(databaseRules.unreadable?.(database({ [annotations.lastDeployed]: text }))).to.match(
        /^the annotation svc\.dev\/last-deployed cannot be read: ./,
      )
    })
    it(`attempt ${JSON.stringify(text)} is reported while something is pending`, () => {
      expect(viewOf(app({ [annotations.attempt]: text })).unreadable).to.match(
        /^the annotation svc\.dev\/attempt cannot be read: ./,
      )
      expect(viewOf(app({ [annotations.attempt]: text, [annotations.pendingChanges]: '' })).unreadable).to.equal(
        undefined,
      )
    })
  }

  it('an attempt that is missing is reported while something is pending', () => {
    const { [annotations.attempt]: _, ...others } = app({}).metadata.annotations ?? {}
    const seen = { ...app({}), metadata: { ...app({}).metadata, annotations: others } }
    expect(viewOf(seen).unreadable).to.equal('the annotation svc.dev/attempt is missing')
  })

  it('a record name that could lead elsewhere is no attempt', () => {
    const elsewhere = JSON.stringify({ ...(JSON.parse(attempt) as object), record: '../secrets/x' })
    expect(viewOf(app({ [annotations.attempt]: elsewhere })).attempt).to.equal(undefined)
  })

  it('what is readable is not reported', () => {
    expect(viewOf(app({})).unreadable).to.equal(undefined)
    expect(viewOf(app({})).effectiveSpec?.port).to.equal(spec.port)
  })
})
