/** The intent, state and next action of a record: the rules that all workflows rest on. */
import { expect } from 'chai'
import { annotations, finalizers } from '../../../kinds/meta/annotations.ts'
import { changes } from '../../../kinds/apps/spec/draft.ts'
import { keepView, viewOf } from '../../../kinds/apps/view.ts'
import { pendingChangesOf } from '../../../kinds/provision/draft.ts'
import { type App, type AppSpec, appSpec } from '../../../kinds/apps/kind.ts'
import { appState, lastAttemptOf } from '../../../kinds/apps/state.ts'

const spec = (change: Partial<AppSpec> = {}, enabled = true): AppSpec => ({
  ...appSpec.parse({
    project: 'proj-00000001',
    environment: 'production',
    source: { image: { image: 'a:1' } },
    deploy: { enabled },
  }),
  ...change,
})
const attempt = (id = 'x-aaaaa') =>
  JSON.stringify({
    record: id,
    operation: 'deploy',
    actor: 'a',
    requestId: 'r',
    title: 't',
    at: '2026-01-01T00:00:00Z',
  })

function record(
  change: { spec?: AppSpec; annotations?: Record<string, string>; status?: App['status']; deleting?: boolean } = {},
): App {
  return {
    apiVersion: 'svc.svc.dev/v1alpha1',
    kind: 'SvcApp',
    metadata: {
      name: 'x',
      namespace: 'svc-system',
      uid: 'u1',
      finalizers: [finalizers.app],
      annotations: {
        [annotations.attempt]: attempt(),
        [annotations.lastDeployed]: JSON.stringify(spec()),
        ...change.annotations,
      },
      ...(change.deleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: change.spec ?? spec(),
    ...(change.status === undefined ? {} : { status: change.status }),
  }
}
const condition = (status: 'True' | 'False', reason = 'Ready', message = '') => [
  { type: 'Ready', status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' },
]
const reconciled = (app: App, status: NonNullable<App['status']> = {}): App => ({
  ...app,
  status: {
    observedIntent: viewOf(app).intent,
    acceptedIntent: viewOf(app).intent,
    lastAttempt: { id: 'x-aaaaa', phase: 'Succeeded' },
    conditions: condition('True'),
    ...status,
  },
})

describe('the intent of a service', () => {
  const pending = { [annotations.pendingChanges]: 'settings' }
  it('does not change with an undeployed edit', () => {
    expect(viewOf(record({ annotations: pending, spec: spec({ port: 1 }) })).intent).to.equal(viewOf(record()).intent)
  })
  it('changes with a live setting, also while edits are pending', () => {
    expect(viewOf(record({ annotations: pending, spec: spec({ replicas: 5, port: 1 }) })).intent).to.not.equal(
      viewOf(record()).intent,
    )
  })
  for (const [what, changed] of [
    ['a new attempt of the same spec', record({ annotations: { [annotations.attempt]: attempt('x-bbbbb') } })],
    ['a retry', record({ annotations: { [annotations.retry]: '1' } })],
    ['an edit with nothing pending', record({ spec: spec({ port: 1 }) })],
    ['a deletion', record({ deleting: true })],
    ['another record of the same name', { ...record(), metadata: { ...record().metadata, uid: 'u2' } }],
  ] as const)
    it(`changes with ${what}`, () => expect(viewOf(changed).intent).to.not.equal(viewOf(record()).intent))

  it('keeps the deployed settings effective while edits are pending, and live ones from the record', () => {
    const app = record({
      annotations: pending,
      spec: spec({ replicas: 7, port: 1, metrics: { enabled: true, path: '/m' } }),
    })
    expect(viewOf(app).effectiveSpec).to.include({ replicas: 7, port: 8080 })
    expect(viewOf(app).effectiveSpec?.metrics).to.deep.equal({ enabled: true, path: '/m' })
  })
  it('reads the pending words in any order and ignores others', () => {
    expect(
      pendingChangesOf(record({ annotations: { [annotations.pendingChanges]: 'variables, nonsense,settings' } })),
    ).to.deep.equal(['settings', 'variables'])
  })
  it('knows which edits need a deploy', () => {
    expect(changes(spec(), spec({ replicas: 9 }))).to.deep.equal([])
    expect(changes(spec(), spec({ configData: { A: '1' } }))).to.deep.equal(['variables'])
  })
})

describe('the view of a record whose status was written', () => {
  const pending = { [annotations.pendingChanges]: 'settings' }
  const records: Record<string, App> = {
    'a record': record(),
    'a draft': record({ spec: spec({}, false) }),
    'an edit': record({ spec: spec({ port: 9 }) }),
    'a pending change': record({ spec: spec({ port: 9, replicas: 7 }), annotations: pending }),
    'what cannot be read': record({ annotations: { ...pending, [annotations.lastDeployed]: '{' } }),
    'no attempt': record({ annotations: { [annotations.attempt]: '' } }),
    'a deletion': record({ deleting: true }),
  }
  const phases = ['Running', 'Succeeded', 'Failed'] as const
  for (const [title, before] of Object.entries(records))
    it(`is the same as if ${title} had been read again`, () => {
      for (const id of ['x-aaaaa', 'x-bbbbb'])
        for (const phase of phases) {
          const written = reconciled(before, { lastAttempt: { id, phase } })
          keepView(before, written)
          const anew = structuredClone(written)
          expect({ ...viewOf(written) }, `${id} ${phase}`).to.deep.equal({ ...viewOf(anew), app: written })
          expect(viewOf(written).plan).to.deep.equal(viewOf(anew).plan)
          expect(viewOf(written).effectiveSpec, 'nothing was read anew').to.equal(viewOf(before).effectiveSpec)
        }
    })
})

describe('the state of a service', () => {
  const table: [string, App, string][] = [
    ['a draft', record({ spec: spec({}, false), annotations: { [annotations.pendingChanges]: 'created' } }), 'draft'],
    ['just accepted, whatever Ready says', reconciled(record(), { observedIntent: 'older' }), 'pending'],
    ['worked off and up', reconciled(record()), 'ready'],
    [
      'worked off but disturbed',
      reconciled(record(), { conditions: condition('False', 'Progressing', 'starting') }),
      'pending',
    ],
    [
      'a failed attempt',
      reconciled(record(), {
        conditions: condition('False', 'CrashLoop', 'exits'),
        lastAttempt: { id: 'x-aaaaa', phase: 'Failed' },
      }),
      'failed',
    ],
    ['failed once, but up by now', reconciled(record(), { lastAttempt: { id: 'x-aaaaa', phase: 'Failed' } }), 'ready'],
    [
      'retried after a failure',
      {
        ...reconciled(record(), { lastAttempt: { id: 'x-aaaaa', phase: 'Failed' } }),
        metadata: { ...record().metadata, annotations: { ...record().metadata.annotations, [annotations.retry]: '1' } },
      },
      'pending',
    ],
    ['being deleted', reconciled(record({ deleting: true })), 'deleting'],
    [
      'up, with an undeployed edit',
      reconciled(record({ annotations: { [annotations.pendingChanges]: 'settings' }, spec: spec({ port: 1 }) })),
      'ready',
    ],
  ]
  for (const [name, app, state] of table) it(`${name}: ${state}`, () => expect(appState(app).state).to.equal(state))

  const retried = { ...record().metadata.annotations, [annotations.retry]: '1' }
  const succeeded = reconciled(record())
  const waits: [string, App, string][] = [
    ['a deploy', record(), 'waiting for the deploy to start'],
    [
      'a retry',
      {
        ...reconciled(record(), { lastAttempt: { id: 'x-aaaaa', phase: 'Failed' } }),
        metadata: { ...record().metadata, annotations: retried },
      },
      'waiting for the deploy to start',
    ],
    ['a scaling', { ...succeeded, spec: spec({ replicas: 2 }) }, 'waiting for the change to be applied'],
  ]
  for (const [name, app, message] of waits)
    it(`${name} that no worker has seen: ${message}`, () =>
      expect(appState(app)).to.deep.equal({ state: 'pending', message }))

  it('shows an accepted attempt as running before the worker has seen it', () => {
    const app = reconciled(record({ annotations: { [annotations.attempt]: attempt('x-ccccc') } }))
    expect(lastAttemptOf(app)).to.include({ id: 'x-ccccc', phase: 'Running' })
  })
})

describe('the next action of a service', () => {
  const bare = { [annotations.attempt]: '', [annotations.lastDeployed]: '' }
  const failedAfter = (
    release: string | undefined,
    status: NonNullable<App['status']> = {},
    operation = 'deploy',
    rollbackOnFailure = true,
  ): App => {
    const deploy = { ...spec().deploy, rollbackOnFailure }
    const annotation = {
      [annotations.attempt]: attempt().replace('"deploy"', `"${operation}"`),
      [annotations.lastDeployed]: JSON.stringify(spec({ deploy })),
    }
    const failed = {
      lastAttempt: { id: 'x-aaaaa', phase: 'Failed' as const },
      conditions: condition('False', 'CrashLoop'),
    }
    return reconciled(record({ spec: spec({ deploy }), annotations: annotation }), {
      ...failed,
      ...(release === undefined ? {} : { release }),
      ...status,
    })
  }
  const table: [string, App, string][] = [
    ['ready at its intent', reconciled(record()), 'rest'],
    ['an accepted attempt', record(), 'deploy'],
    [
      'a going attempt whose live settings changed',
      reconciled(record({ spec: spec({ replicas: 3 }) }), {
        observedIntent: 'o',
        lastAttempt: { id: 'x-aaaaa', phase: 'Running' },
      }),
      'deploy',
    ],
    [
      'a live setting of a ready service',
      reconciled(record({ spec: spec({ replicas: 3 }) }), { observedIntent: 'o' }),
      'reconcile',
    ],
    ['an edit past the api', reconciled(record({ spec: spec({ port: 1 }) }), { observedIntent: 'o' }), 'adopt'],
    ['deployed by kubectl from the start', record({ annotations: bare }), 'adopt'],
    [
      'an edit past the api that joins pending ones',
      reconciled(record({ spec: spec({ port: 1 }), annotations: { [annotations.pendingChanges]: 'variables' } })),
      'note',
    ],
    ['a failed deploy of a service that wants it taken back', failedAfter('x-00000'), 'putBack'],
    ['the same before any release was up', failedAfter(undefined), 'rest'],
    ['the same after no release could be rolled back to', failedAfter(''), 'rest'],
    ['the same whose copies came up after all', failedAfter('x-00000', { conditions: condition('True') }), 'rest'],
    [
      'the same while it still goes on',
      failedAfter('x-00000', { lastAttempt: { id: 'x-aaaaa', phase: 'Running' } }),
      'rest',
    ],
    ['a rollback that failed', failedAfter('x-00000', {}, 'rollback'), 'rest'],
    ['a failed deploy of a service that wants it kept', failedAfter('x-00000', {}, 'deploy', false), 'rest'],
    ['a fresh draft', record({ spec: spec({}, false), annotations: bare }), 'rest'],
    [
      'a deploy that was taken back',
      reconciled(record({ spec: spec({}, false) }), { observedIntent: 'o' }),
      'withdraw',
    ],
    ['a deletion', record({ deleting: true }), 'remove'],
    [
      'a deletion held by the finalizer of another owner',
      { ...record({ deleting: true }), metadata: { ...record({ deleting: true }).metadata, finalizers: ['other'] } },
      'rest',
    ],
  ]
  for (const [name, app, story] of table) it(`${name}: ${story}`, () => expect(viewOf(app).plan.story).to.equal(story))
})
