/** Annotations of svc written with kubectl: an unreadable one is reported in a message, and no rule throws. */
import { expect } from 'chai'
import { annotations } from '../../kinds/meta/annotations.ts'
import { releaseSpecOf, withSpec } from '../../kinds/apps/spec/draft.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { askedDrill } from '../../kinds/backup-archives/drills.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { storedElsewhere } from '../../kinds/backup-archives/stored.ts'
import { archivedEnvironments } from '../../kinds/projects/archived.ts'
import { wakeReasonOf } from '../../kinds/apps/assess/wake-reason.ts'
import { deployTitle, pendingWords } from '../../kinds/apps/deploy/pending-words.ts'
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
const asked = JSON.parse(attempt) as { at: string }
/** Fields of an attempt that are texts, and still nothing that what they are written into takes. */
const beyond: [field: string, value: unknown][] = [
  ['at', 'yesterday'],
  ['at', ''],
  ['at', '2026-01-01T00:00Z'],
  ['at', '2026-02-30T00:00:00Z'],
  ['at', '2026-01-01T00:00:00'],
  ['at', '9999-12-31T23:59:59.999Z'],
  ['title', 'x'.repeat(1025)],
  ['actor', 'x'.repeat(254)],
  ['image', `x@sha256:${'0'.repeat(1025)}`],
  ['record', 'x'.repeat(248)],
  ['record', 'x..a'],
  ['supersedes', '../secrets/x'],
  ['supersedes', 'x-.a'],
  ['alsoSupersedes', ['']],
  ['alsoSupersedes', Array.from({ length: 13 }, (_, at) => `x-${at}`)],
]
const shown = (value: unknown): string => JSON.stringify(value).slice(0, 40)
const deployed = JSON.stringify({
  project: 'proj-00000001',
  environment: 'production',
  engine: 'postgres',
  deploy: { enabled: true },
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

  for (const [field, value] of beyond) {
    it(`an attempt whose ${field} no status, record or run would take is reported: ${shown(value)}`, () => {
      const seen = viewOf(app({ [annotations.attempt]: JSON.stringify({ ...asked, [field]: value }) }))
      expect(seen.attempt).to.equal(undefined)
      expect(seen.unreadable).to.include(`cannot be read: ${field}`)
    })
    if (field === 'actor' || value === 'yesterday')
      it(`a deploy request of a database with such ${field === 'at' ? 'a time' : 'an actor'} is none`, () => {
        const request = { id: 'a', actor: 'ada', requestId: 'r', at: asked.at, [field]: value }
        const { actor, operation } = provisionPlan(
          databaseRules,
          'x',
          database({ [annotations.attempt]: JSON.stringify(request), [annotations.lastDeployed]: deployed }),
        )
        expect({ actor, operation }).to.deep.equal({ actor: 'kubectl', operation: 'kubectl' })
      })
  }

  for (const at of [asked.at, '2026-01-31T12:00:00.123456789Z', '2026-01-31t12:00:00z', '2026-01-31T12:00:00+05:30'])
    it(`the time ${at}, which the API server takes, is read`, () => {
      expect(viewOf(app({ [annotations.attempt]: JSON.stringify({ ...asked, at }) })).attempt?.at).to.equal(at)
    })

  it('a backup is asked for no drill, and has no status of before, at a time that its status would not take', () => {
    const notes = (at: string) => ({
      [annotations.drill]: at,
      [annotations.stored]: JSON.stringify({ checksum: 'c', lastBackupAt: at }),
    })
    const backup = (at: string) => ({ metadata: { name: 'b', annotations: notes(at) } }) as unknown as BackupArchive
    expect([askedDrill(backup('yesterday')), storedElsewhere(backup('yesterday'))]).to.deep.equal(['', undefined])
    expect(askedDrill(backup(asked.at))).to.equal(asked.at)
    expect(storedElsewhere(backup(asked.at))?.lastBackupAt).to.equal(asked.at)
  })

  it('a text that is no name of an environment is none that has to be emptied', () => {
    const names = 'early,two words,../secrets/x,Upper,late'
    expect(
      archivedEnvironments({ metadata: { name: 'p', annotations: { [annotations.archived]: names } } }),
    ).to.deep.equal(['early', 'late'])
  })

  it('what is readable is not reported', () => {
    expect(viewOf(app({})).unreadable).to.equal(undefined)
    expect(viewOf(app({})).effectiveSpec?.port).to.equal(spec.port)
  })
})
