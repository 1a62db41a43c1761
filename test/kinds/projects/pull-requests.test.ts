/** What follows from what a project has noted of a pull request, and from what the git host says of it. */
import { expect } from 'chai'
import { type Project, projectSpec } from '../../../kinds/projects/kind.ts'
import {
  decide,
  environmentFor,
  isLeaving,
  pullRequestKey,
  pullRequestOf,
  type PullRequest,
  toLookAt,
  withoutClosed,
} from '../../../kinds/projects/pull-requests.ts'
import { isAbout, readPullRequest } from '../../../kinds/projects/pull-request-delivery.ts'
import { sharedIn } from '../../../kinds/projects/shared-variables.ts'

const [first, second] = ['a'.repeat(40), 'b'.repeat(40)]
const ref = { project: 'proj-0000000a', repository: 'acme/shop', number: 7 }
const now = Date.parse('2026-03-10T00:00:00Z')
const idleMs = 14 * 24 * 3_600_000
const here = { repository: 'acme/shop', number: 7, environment: 'pr-7', base: 'production', commit: first }
const recent = '2026-03-09T00:00:00Z'

const projectWith = (spec: object = {}, metadata: Partial<Project['metadata']> = {}): Project => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcProject',
  metadata: { name: ref.project, ...metadata },
  spec: projectSpec.parse({
    environments: ['production', 'pr-7'],
    pullRequestEnvironments: { enabled: true },
    ...spec,
  }),
})
const pull = (change: Partial<PullRequest> = {}): PullRequest => ({
  isOpen: true,
  commit: first,
  isFork: false,
  ...change,
})

describe('a pull request', () => {
  const table: readonly [title: string, spec: object, seen: PullRequest | undefined, action: string, why?: RegExp][] = [
    ['is opened below the limit', {}, pull(), 'open'],
    ['is not opened while the project makes none', { pullRequestEnvironments: {} }, pull(), 'rest', /^$/],
    [
      'is not opened beyond the most at once, and says so',
      {
        pullRequestEnvironments: { enabled: true, maxOpen: 1 },
        pullRequests: [{ ...here, number: 8, activeAt: recent }],
      },
      pull(),
      'rest',
      /^1 of at most 1 pull-request environments are open$/,
    ],
    ['of a fork waits for an admin', {}, pull({ isFork: true }), 'rest', /comes from a fork/],
    [
      'of a fork is opened at the commit that was allowed',
      { pullRequests: [{ repository: 'acme/shop', number: 7, allowed: first }] },
      pull({ isFork: true }),
      'open',
    ],
    [
      'of a fork is not opened at another commit than was allowed',
      { pullRequests: [{ repository: 'acme/shop', number: 7, allowed: first }] },
      pull({ isFork: true, commit: second }),
      'rest',
      /bbbbbbb comes from a fork/,
    ],
    [
      'is brought to its newest commit',
      { pullRequests: [{ ...here, activeAt: recent }] },
      pull({ commit: second }),
      'open',
    ],
    [
      'is closed with it',
      { pullRequests: [{ ...here, activeAt: recent }] },
      pull({ isOpen: false }),
      'close',
      /is closed/,
    ],
    [
      'is closed after days without a commit',
      { pullRequests: [{ ...here, activeAt: '2026-02-01T00:00:00Z' }] },
      pull(),
      'close',
      /no new commit/,
    ],
    [
      'is closed after days, also where it cannot be read any more',
      { pullRequests: [{ ...here, activeAt: '2026-02-01T00:00:00Z' }] },
      undefined,
      'close',
      /no new commit/,
    ],
    ['that cannot be read stays', { pullRequests: [{ ...here, activeAt: recent }] }, undefined, 'open'],
    [
      'that was closed by hand stays closed at that commit',
      { pullRequests: [{ repository: 'acme/shop', number: 7, commit: first }] },
      pull(),
      'rest',
      /^$/,
    ],
    [
      'that was closed by hand is opened with the next commit',
      { pullRequests: [{ repository: 'acme/shop', number: 7, commit: first }] },
      pull({ commit: second }),
      'open',
    ],
  ]
  for (const [title, spec, seen, action, why = /./] of table)
    it(title, () => {
      const decision = decide(projectWith(spec), ref, seen, { now, idleMs })
      expect(decision.action).to.equal(action)
      if (decision.action !== 'open') expect(decision.why).to.match(why)
    })

  it('of a fork stays at the commit that was allowed', () => {
    const entry = { ...here, fork: true, allowed: first, activeAt: recent }
    const seen = pull({ isFork: true, commit: second })
    expect(decide(projectWith({ pullRequests: [entry] }), ref, seen, { now, idleMs })).to.deep.equal({
      action: 'open',
      commit: first,
    })
  })

  it('is named by project, repository and number', () => {
    expect(pullRequestOf(pullRequestKey({ ...ref, repository: 'Acme/Shop' }))).to.deep.equal(ref)
  })

  it('gets an environment of a name that nothing else has', () => {
    expect(environmentFor(projectSpec.parse({ environments: ['production'] }), ref)).to.equal('pr-7')
    const other = environmentFor(projectSpec.parse({ environments: ['production', 'pr-7'] }), ref)
    expect(other).to.match(/^pr-7-[0-9a-f]{6}$/)
    expect(
      environmentFor(projectSpec.parse({ environments: ['pr-7'] }), { ...ref, repository: 'acme/web' }),
    ).not.to.equal(other)
  })

  it('waits for what is left of a former environment', () => {
    expect(isLeaving(projectWith({}, { annotations: { 'svc.dev/archived': 'pr-7' } }), 'pr-7')).to.equal(true)
    const going = { ...projectWith(), status: { environments: [{ name: 'pr-7', namespace: 'n', phase: 'Deleting' }] } }
    expect(isLeaving(going, 'pr-7')).to.equal(true)
    expect(isLeaving(projectWith(), 'pr-7')).to.equal(false)
  })

  it('keeps only its commit when its environment was dropped', () => {
    const spec = withoutClosed(
      projectSpec.parse({
        environments: ['production'],
        sharedVariables: [{ name: 'A', environment: 'pr-7', value: '1' }],
        gitHosts: [
          { environment: 'production', installation: 1 },
          { environment: 'pr-7', installation: 1 },
        ],
        pullRequests: [{ ...here, activeAt: recent, fork: true, allowed: first }],
      }),
    )
    expect(spec.sharedVariables).to.deep.equal([])
    expect(spec.gitHosts).to.deep.equal([{ environment: 'production', installation: 1 }])
    expect(spec.pullRequests).to.deep.equal([
      { repository: 'acme/shop', number: 7, commit: first, fork: true, allowed: first },
    ])
  })
})

describe('a delivery about a pull request', () => {
  const body = { action: 'opened', number: 7, repository: { full_name: 'Acme/Shop' }, installation: { id: 71 } }

  it('says where to look, and nothing else of it counts', () => {
    expect(readPullRequest(body)).to.deep.equal({ repository: 'acme/shop', number: 7, installation: 71 })
  })

  it('is ignored in another shape', () => {
    for (const wrong of [
      undefined,
      { ...body, number: 0 },
      { ...body, number: 2 ** 31 },
      { ...body, repository: { full_name: 'acme/shop/../web' } },
      { ...body, installation: null },
    ])
      expect(readPullRequest(wrong)).to.equal(undefined)
  })

  it('is for projects that build from that installation, and for those that know it', () => {
    const gitHosts = [{ environment: 'production', installation: 71 }]
    const about = (spec: object) => isAbout(projectWith(spec).spec, ref, 71)
    expect(about({ gitHosts })).to.equal(true)
    expect(about({ gitHosts, pullRequestEnvironments: { enabled: false } })).to.equal(false)
    expect(about({ gitHosts: [{ environment: 'production', installation: 72 }] })).to.equal(false)
    expect(about({ pullRequestEnvironments: {}, pullRequests: [here] })).to.equal(true)
  })
})

describe('the shared variables of an environment of a pull request', () => {
  const secretRef = { name: 'proj-0000000a-shared', key: 'production.TOKEN' }
  const sharedVariables = [
    { name: 'LEVEL', environment: 'pr-7', value: 'own' },
    { name: 'TOKEN', environment: 'production', secretRef },
    { name: 'LEVEL', environment: 'production', value: 'base' },
    { name: 'LEVEL', environment: '', value: 'every' },
    { name: 'OTHER', environment: 'staging', value: 'no' },
  ]
  const valuesIn = (entry: object) =>
    sharedIn(
      projectSpec.parse({ environments: ['production', 'pr-7'], sharedVariables, pullRequests: [entry] }),
      'pr-7',
    ).map(({ name, value = 'secret' }) => `${name}=${value}`)

  it('are those of every environment, then of its base, then its own', () => {
    expect(valuesIn(here)).to.deep.equal(['LEVEL=every', 'TOKEN=secret', 'LEVEL=base', 'LEVEL=own'])
  })

  it('are none that is secret where the commits come from a fork', () => {
    expect(valuesIn({ ...here, fork: true })).to.deep.equal(['LEVEL=every', 'LEVEL=base', 'LEVEL=own'])
  })
})

describe('a look at the git host', () => {
  const enabled = { environments: ['production'], pullRequestEnvironments: { enabled: true, maxOpen: 2 } }
  const lookAt = (spec: object, open: [number, PullRequest][] | undefined) =>
    toLookAt(projectSpec.parse({ ...enabled, ...spec }), 'acme/shop', open === undefined ? undefined : new Map(open))
  const closed = { repository: 'acme/shop', number: 7, commit: first }

  it('finds pull requests that were opened while svc was down, the oldest first, up to the limit', () => {
    const open: [number, PullRequest][] = [9, 7, 8].map((number) => [number, pull()])
    expect(lookAt({}, open)).to.deep.equal([7, 8])
    expect(lookAt({ pullRequests: [{ ...here, number: 1 }] }, open)).to.deep.equal([1, 7])
    expect(lookAt({ pullRequestEnvironments: {} }, open)).to.deep.equal([])
  })

  it('leaves forks alone until their commit is allowed', () => {
    const open: [number, PullRequest][] = [[7, pull({ isFork: true })]]
    expect(lookAt({}, open)).to.deep.equal([])
    expect(lookAt({ pullRequests: [{ repository: 'acme/shop', number: 7, allowed: first }] }, open)).to.deep.equal([7])
  })

  it('finds new commits of what was closed here, and what is closed there', () => {
    expect(lookAt({ pullRequests: [closed] }, [[7, pull()]])).to.deep.equal([])
    expect(lookAt({ pullRequests: [closed] }, [[7, pull({ commit: second })]])).to.deep.equal([7])
    expect(lookAt({ pullRequests: [closed] }, [])).to.deep.equal([7])
  })

  it('always looks at what is open here, also where the git host cannot be asked', () => {
    expect(lookAt({ pullRequests: [here] }, undefined)).to.deep.equal([7])
    expect(lookAt({ pullRequests: [closed] }, undefined)).to.deep.equal([])
  })
})
