/** What git is given, which build may start, what became of one, and what its Job may hold. */
import { expect } from 'chai'
import { standardBases } from '../../../kinds/builds/dockerfiles.ts'
import { buildJob, buildSecret, type BuilderSettings } from '../../../kinds/builds/job.ts'
import { type Build, buildSpec } from '../../../kinds/builds/kind.ts'
import { outcomeOf } from '../../../kinds/builds/outcome.ts'
import { buildName, jobName } from '../../../kinds/builds/names.ts'
import { planOfBuild } from '../../../kinds/builds/plan.ts'
import { positionOf, queueOf } from '../../../kinds/builds/queue.ts'
import { cloneAddress, isBranchName, isInside, placeOf } from '../../../kinds/builds/repository.ts'

const build = (name: string, project = 'proj-00000001', status: Build['status'] = {}, second = 0): Build => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcBuild',
  metadata: {
    name,
    uid: `uid-${name}`,
    creationTimestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  },
  spec: buildSpec.parse({ app: 'web', project, environment: 'production', repository: 'acme/web', attempt: name }),
  status,
})

describe('the repository of a service', () => {
  const addresses: [repository: string, address: string | undefined][] = [
    ['acme/web', 'https://github.com/acme/web.git'],
    ['acme/web.git', 'https://github.com/acme/web.git'],
    ['https://git.example.test/team/web.git', 'https://git.example.test/team/web.git'],
    ['http://127.0.0.1:3000/team/web', 'http://127.0.0.1:3000/team/web'],
    ['git@git.example.test:team/web.git', 'git@git.example.test:team/web.git'],
    ['ssh://git@git.example.test:2222/team/web.git', 'ssh://git@git.example.test:2222/team/web.git'],
    ['https://maria:secret@git.example.test/web.git', undefined],
    ['https://git.example.test/web.git?token=x', undefined],
    ['file:///etc', undefined],
    ['ext::sh -c id', undefined],
    ['/srv/git/web', undefined],
    ['--upload-pack=id', undefined],
    ['../web', undefined],
    ['', undefined],
  ]
  for (const [repository, address] of addresses)
    it(`${JSON.stringify(repository)} is cloned from ${address ?? 'nowhere'}`, () =>
      expect(cloneAddress(repository, 'https://github.com')).to.equal(address))

  it('is one of the git host of the install where it is owner/name', () =>
    expect(cloneAddress('acme/web', 'https://git.example.test')).to.equal('https://git.example.test/acme/web.git'))

  const places: [repository: string, place: string | undefined][] = [
    ['acme/web', 'github.com/acme/web'],
    ['https://GitHub.com/acme/web.git', 'github.com/acme/web'],
    ['https://github.com/acme/web/', 'github.com/acme/web'],
    ['git@github.com:acme/web.git', 'github.com/acme/web'],
    ['ssh://git@git.example.test:2222/team/web.git', 'git.example.test:2222/team/web'],
    ['https://git.example.test:8443/team/web', 'git.example.test:8443/team/web'],
    ['http://git.example.test/team/web', 'http://git.example.test/team/web'],
    ['https://github.com.example.test/acme/web', 'github.com.example.test/acme/web'],
    ['', undefined],
    ['https://github.com@example.test/acme/web', undefined],
  ]
  for (const [repository, place] of places)
    it(`${repository || 'of no name'} is ${place ?? 'nowhere'}`, () =>
      expect(placeOf(repository, 'https://github.com')).to.equal(place))

  const branches: [branch: string, valid: boolean][] = [
    ['main', true],
    ['feature/a-b.c', true],
    ['--upload-pack=id', false],
    ['a..b', false],
    ['a b', false],
    ['$(id)', false],
    ['refs/.hidden', false],
    ['x.lock', false],
  ]
  for (const [branch, valid] of branches)
    it(`${branch} is ${valid ? 'a' : 'no'} branch`, () => expect(isBranchName(branch)).to.equal(valid))

  for (const [path, inside] of [
    ['.', true],
    ['apps/web', true],
    ['../other', false],
    ['a/../../b', false],
    ['/etc', false],
    ['$(id)', false],
  ] as const)
    it(`${path} is ${inside ? '' : 'not '}inside of it`, () => expect(isInside(path)).to.equal(inside))
})

describe('the queue of builds', () => {
  const [one, other] = ['proj-00000001', 'proj-00000002'] as const

  it('lets projects take turns, and of one project the oldest first', () => {
    const builds = [
      build('a3', one, {}, 3),
      build('a1', one, {}, 1),
      build('a2', one, {}, 2),
      build('b1', other, {}, 4),
    ]
    expect(queueOf(builds).map(({ metadata }) => metadata.name)).to.deep.equal(['a1', 'b1', 'a2', 'a3'])
  })

  it('counts what runs of a project', () => {
    const runs = build('a0', one, { phase: 'Running', jobRef: 'x' })
    const builds = [runs, build('a1', one, {}, 1), build('b1', other, {}, 2)]
    expect(queueOf(builds).map(({ metadata }) => metadata.name)).to.deep.equal(['b1', 'a1'])
    expect(['b1', 'a1'].map((name) => positionOf(build(name), builds, 2))).to.deep.equal([0, 1])
  })

  it('holds a place until the Job is removed', () =>
    expect(positionOf(build('a1'), [build('a0', one, { phase: 'Failed', jobRef: 'x' }), build('a1')], 1)).to.equal(1))
})

describe('what became of a build', () => {
  const ended = (name: string, exitCode: number, message: string, reason = 'Completed') => ({
    name,
    state: { terminated: { exitCode, message, reason } },
  })
  const cloned = ended('clone', 0, '{"revision":"abc"}')
  const failed = (reason: string) => ({
    metadata: {},
    status: { conditions: [{ type: 'Failed', status: 'True', reason }] },
  })
  const withBuildpacks = (buildpacks: object) => ({
    status: {
      initContainerStatuses: [ended('clone', 0, '{"revision":"abc","kind":"buildpacks"}')],
      containerStatuses: [
        { name: 'build', state: { running: {} } },
        { name: 'buildpacks', state: buildpacks },
      ],
    },
  })
  const unpulled = { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } }
  const rows: [what: string, job: Parameters<typeof outcomeOf>[0], pod: Parameters<typeof outcomeOf>[1], is: object][] =
    [
      ['no pod yet', { metadata: {} }, undefined, { state: 'running', step: 'waiting for a pod' }],
      [
        'a clone that runs',
        { metadata: {} },
        { status: { initContainerStatuses: [{ name: 'clone', state: { running: {} } }] } },
        { state: 'running', step: 'fetching the repository' },
      ],
      [
        'a clone that failed',
        { metadata: {} },
        { status: { initContainerStatuses: [ended('clone', 1, 'the repository has no branch x', 'Error')] } },
        { state: 'failed', why: 'the repository has no branch x' },
      ],
      [
        'a build that was pushed',
        { metadata: {} },
        {
          status: { initContainerStatuses: [cloned], containerStatuses: [ended('build', 0, '{"digest":"sha256:00"}')] },
        },
        { state: 'succeeded', revision: 'abc', digest: 'sha256:00', made: {} },
      ],
      [
        'a build that says how large its image is, and what it took from the cache',
        { metadata: {} },
        {
          status: {
            initContainerStatuses: [cloned],
            containerStatuses: [ended('build', 0, '{"digest":"sha256:00","steps":4,"cachedSteps":3,"bytes":1048576}')],
          },
        },
        {
          ...{ state: 'succeeded', revision: 'abc', digest: 'sha256:00' },
          made: { imageBytes: 1_048_576, steps: 4, cachedSteps: 3 },
        },
      ],
      [
        'a commit that has an image',
        { metadata: {} },
        {
          status: {
            initContainerStatuses: [ended('clone', 0, '{"revision":"abc","reused":true}')],
            containerStatuses: [ended('build', 0, '{}')],
          },
        },
        { state: 'unchanged', revision: 'abc' },
      ],
      [
        'a deadline',
        failed('DeadlineExceeded'),
        undefined,
        { state: 'failed', why: 'the build took longer than 30 minutes' },
      ],
      [
        'a deadline, while its pod is still there',
        {
          metadata: {},
          status: { conditions: [{ type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded' }] },
        },
        { status: { initContainerStatuses: [cloned], containerStatuses: [{ name: 'build', state: { running: {} } }] } },
        { state: 'failed', why: 'the build took longer than 30 minutes', revision: 'abc' },
      ],
      [
        'a pod that is gone',
        failed('BackoffLimitExceeded'),
        undefined,
        { state: 'failed', why: 'the pod of the build was lost before it had ended' },
      ],
      [
        'an eviction',
        failed('BackoffLimitExceeded'),
        { status: { reason: 'Evicted', message: 'Usage of EmptyDir volume "work" exceeds the limit' } },
        {
          state: 'failed',
          why: 'the node of the build was short of what it used: Usage of EmptyDir volume "work" exceeds the limit',
        },
      ],
      [
        'buildpacks that run',
        { metadata: {} },
        withBuildpacks({ running: {} }),
        { state: 'running', step: 'building', revision: 'abc' },
      ],
      [
        'a builder image that cannot be pulled',
        { metadata: {} },
        withBuildpacks(unpulled),
        { state: 'running', step: 'the image of the builder cannot be pulled: no such image', revision: 'abc' },
      ],
      [
        'a builder image that cannot be pulled, and is not used',
        { metadata: {} },
        {
          status: {
            initContainerStatuses: [cloned],
            containerStatuses: [
              { name: 'build', state: { running: {} } },
              { name: 'buildpacks', state: unpulled },
            ],
          },
        },
        { state: 'running', step: 'building', revision: 'abc' },
      ],
      [
        'buildpacks that ended, while the other container reads the last of them',
        { metadata: {} },
        withBuildpacks({ terminated: { exitCode: 0 } }),
        { state: 'running', step: 'building', revision: 'abc' },
      ],
      [
        'buildpacks without memory',
        { metadata: {} },
        withBuildpacks({ terminated: { exitCode: 137, reason: 'OOMKilled' } }),
        { state: 'failed', why: 'the build needed more memory than it may have', revision: 'abc' },
      ],
      [
        'a builder image without a shell',
        { metadata: {} },
        withBuildpacks({ terminated: { exitCode: 128, reason: 'StartError', message: 'exec: "sh": not found' } }),
        { state: 'failed', why: 'exec: "sh": not found', revision: 'abc' },
      ],
      [
        'a result that says nothing',
        { metadata: {}, status: { conditions: [{ type: 'Complete', status: 'True' }] } },
        { status: { initContainerStatuses: [cloned], containerStatuses: [ended('build', 0, 'hello')] } },
        { state: 'failed', why: 'the build ended without a result', revision: 'abc' },
      ],
    ]
  for (const [what, job, pod, is] of rows) it(what, () => expect(outcomeOf(job, pod, 30)).to.deep.equal(is))
})

describe('what is made for a build', () => {
  const settings: BuilderSettings = {
    image: 'svc/builder',
    cpu: '2',
    memory: '4Gi',
    disk: '20Gi',
    atOnce: 2,
    deadlineSeconds: 1800,
    plainRegistries: [],
    mirror: undefined,
    destination: undefined,
    gitAuthorities: '',
    bases: standardBases,
    buildpacks: undefined,
  }
  const credentials = {
    git: { token: 'git-token-in-clear' },
    registry: '{"auths":{"r":{"auth":"registry-login-in-clear"}}}',
    secrets: { NPM_TOKEN: 'npm-token-in-clear' },
  }
  const inputs = {
    address: 'https://github.com/acme/web.git',
    destination: 'registry.example.test/svc',
    port: 8080,
    args: { COLOUR: 'green' },
    knownRevision: '',
  }
  const job = buildJob(build('web-abcde'), settings, credentials, inputs)

  it('keeps every login in its Secret, and lets a container see those of its own part alone', () => {
    expect(JSON.stringify(job)).not.to.contain('in-clear')
    const secret = buildSecret(build('web-abcde'), settings, credentials, inputs)
    expect(secret.stringData).to.include({
      'git-token': 'git-token-in-clear',
      'builder-hidden': 'registry-login-in-clear\nnpm-token-in-clear\n',
      'build-args-COLOUR': 'green',
      'build-secrets-NPM_TOKEN': 'npm-token-in-clear',
      'registry-config.json': credentials.registry,
    })
    const mounts = ({ volumeMounts = [] }: { volumeMounts?: { name: string }[] }) =>
      volumeMounts.map(({ name }) => name)
    const { initContainers, containers } = job.spec.template.spec
    expect(initContainers.map(mounts)).to.deep.equal([['work', 'git', 'generated']])
    expect(containers.map(mounts)).to.deep.equal([['work', 'registry', 'builder', 'build-args', 'build-secrets']])
  })

  it('gives the authorities of git servers to the clone alone, and starts where its Secret has none yet', () => {
    const trusting = { ...settings, gitAuthorities: 'certificates' }
    expect(buildSecret(build('a'), trusting, credentials, inputs).stringData).to.include({
      'trust-authorities.pem': 'certificates',
    })
    const { initContainers, containers, volumes } = buildJob(build('a'), trusting, credentials, inputs).spec.template
      .spec
    const isTrust = ({ name }: { name: string }) => name === 'trust'
    expect(initContainers[0]?.volumeMounts?.find(isTrust)).to.include({ mountPath: '/run/trust', readOnly: true })
    expect(containers[0]?.volumeMounts?.some(isTrust)).to.equal(false)
    expect(volumes.find(isTrust)?.secret).to.deep.include({
      optional: true,
      items: [{ key: 'trust-authorities.pem', path: 'authorities.pem' }],
    })
    expect(job.spec.template.spec.volumes.some(isTrust), 'without any').to.equal(false)
  })

  it('has no token, no rights of a user root, a deadline, limits, and one try', () => {
    const { spec: pod } = job.spec.template
    expect(pod).to.include({ automountServiceAccountToken: false, restartPolicy: 'Never' })
    expect(pod.securityContext).to.deep.equal({ runAsNonRoot: true, fsGroup: 1000 })
    for (const { securityContext } of [...pod.initContainers, ...pod.containers])
      expect(securityContext).to.include({ runAsUser: 1000, runAsGroup: 1000 })
    expect(job.spec).to.include({ backoffLimit: 0, activeDeadlineSeconds: 1800 })
    expect(pod.containers[0]?.resources?.limits).to.deep.equal({ cpu: '2', memory: '4Gi', 'ephemeral-storage': '20Gi' })
  })

  it('has a third container where the install sets buildpacks: without any right, as the user of its image', () => {
    const buildpacks = { image: 'acme/builder@sha256:00', user: undefined, runImage: '' }
    const { spec: pod } = buildJob(build('a'), { ...settings, buildpacks }, credentials, inputs).spec.template
    expect(pod.containers.map(({ name }) => name)).to.deep.equal(['build', 'buildpacks'])
    const made = pod.containers.find(({ name }) => name === 'buildpacks')
    expect([made?.image, made?.resources?.limits]).to.deep.equal([
      'acme/builder@sha256:00',
      pod.containers[0]?.resources?.limits,
    ])
    const confined = {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    }
    expect(made?.securityContext).to.deep.equal(confined)
    const mounts = made?.volumeMounts?.map(({ name, mountPath }) => `${name} ${mountPath}`)
    expect(mounts).to.deep.equal([
      ...['work', 'layers', 'workspace'].map((name) => `work /${name}`),
      ...['registry', 'build-args', 'build-secrets'].map((name) => `${name} /run/${name}`),
    ])
    const env = Object.fromEntries(made?.env?.map(({ name, value }) => [name, value]) ?? [])
    expect(env).to.include({ CACHE_IMAGE: 'registry.example.test/svc:web-buildpackscache', RUN_IMAGE: '' })
    expect(pod.initContainers[0]?.env).to.deep.include({ name: 'BUILDPACKS', value: 'acme/builder@sha256:00' })
    expect(
      job.spec.template.spec.containers.map(({ name }) => name),
      'without',
    ).to.deep.equal(['build'])
    const named = { ...settings, buildpacks: { ...buildpacks, user: { runAsUser: 1001, runAsGroup: 1000 } } }
    const [, other] = buildJob(build('a'), named, credentials, inputs).spec.template.spec.containers
    expect(other?.securityContext).to.deep.equal({ ...confined, runAsUser: 1001, runAsGroup: 1000 })
  })

  it('has names of its own for each record and each retry', () => {
    expect(jobName(build('a')).length).to.be.at.most(63)
    expect(jobName(build(`${'a'.repeat(63)}-abcde`)).length).to.be.at.most(63)
    expect(buildName('web-abcde', '')).to.equal('web-abcde')
    expect(buildName('web-abcde', 'token')).to.match(/^web-abcde-\w{5}$/)
  })

  it('is removed after the end, and with the record', () => {
    const action = (status: Build['status'], metadata: Partial<Build['metadata']> = {}) => {
      const record = build('a', 'proj-00000001', status)
      return planOfBuild('a', { ...record, metadata: { ...record.metadata, ...metadata } }).action
    }
    const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['svc.svc.dev/build'] }
    expect([
      action({}),
      action({ phase: 'Running', jobRef: 'x' }),
      action({ phase: 'Failed', jobRef: 'x' }),
      action({ phase: 'Failed' }),
      action({ phase: 'Running', jobRef: 'x' }, deleted),
      planOfBuild('a', undefined).action,
    ]).to.deep.equal(['build', 'build', 'clean', 'rest', 'remove', 'rest'])
  })
})
