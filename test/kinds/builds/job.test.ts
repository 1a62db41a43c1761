/** What the Job of a build may hold, its name, and when it is made and removed. */
import { expect } from 'chai'
import { standardBases } from '../../../kinds/builds/dockerfiles.ts'
import { buildJob, buildSecret, type BuilderSettings } from '../../../kinds/builds/job.ts'
import type { Build } from '../../../kinds/builds/kind.ts'
import { buildName, jobName } from '../../../kinds/builds/names.ts'
import { planOfBuild } from '../../../kinds/builds/plan.ts'
import { build } from './build-record.ts'

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
    expect(job.spec.template.spec.containers.map(mounts)).to.deep.equal([
      ['work', 'home', 'git', 'generated'],
      ['work', 'registry', 'builder', 'build-args', 'build-secrets'],
    ])
  })

  it('starts the clone beside the builder, and needs no more capacity on a node than the builder alone', () => {
    const { containers, ...pod } = job.spec.template.spec
    expect(containers.map(({ name }) => name)).to.deep.equal(['clone', 'build'])
    expect(pod).not.to.have.property('initContainers')
    const requests = containers.map(({ resources }) => resources?.requests)
    expect(requests).to.deep.equal([
      { cpu: '100m', memory: '64Mi', 'ephemeral-storage': '0' },
      { cpu: '150m', memory: '448Mi', 'ephemeral-storage': '0' },
    ])
  })

  it('gives the authorities of git servers to the clone alone, and starts where its Secret has none yet', () => {
    const trusting = { ...settings, gitAuthorities: 'certificates' }
    expect(buildSecret(build('a'), trusting, credentials, inputs).stringData).to.include({
      'trust-authorities.pem': 'certificates',
    })
    const { containers, volumes } = buildJob(build('a'), trusting, credentials, inputs).spec.template.spec
    const isTrust = ({ name }: { name: string }) => name === 'trust'
    expect(containers[0]?.volumeMounts?.find(isTrust)).to.include({ mountPath: '/run/trust', readOnly: true })
    expect(containers[1]?.volumeMounts?.some(isTrust)).to.equal(false)
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
    for (const { securityContext } of pod.containers)
      expect(securityContext).to.include({ runAsUser: 1000, runAsGroup: 1000 })
    expect(job.spec).to.include({ backoffLimit: 0, activeDeadlineSeconds: 1800 })
    expect(pod.containers[1]?.resources?.limits).to.deep.equal({ cpu: '2', memory: '4Gi', 'ephemeral-storage': '20Gi' })
  })

  it('has a third container where the install sets buildpacks: without any right, as the user of its image', () => {
    const buildpacks = { image: 'acme/builder@sha256:00', user: undefined, runImage: '' }
    const { spec: pod } = buildJob(build('a'), { ...settings, buildpacks }, credentials, inputs).spec.template
    expect(pod.containers.map(({ name }) => name)).to.deep.equal(['clone', 'build', 'buildpacks'])
    const made = pod.containers.find(({ name }) => name === 'buildpacks')
    expect([made?.image, made?.resources?.limits]).to.deep.equal([
      'acme/builder@sha256:00',
      pod.containers[1]?.resources?.limits,
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
    expect(pod.containers[0]?.env).to.deep.include({ name: 'BUILDPACKS', value: 'acme/builder@sha256:00' })
    expect(
      job.spec.template.spec.containers.map(({ name }) => name),
      'without',
    ).to.deep.equal(['clone', 'build'])
    const named = { ...settings, buildpacks: { ...buildpacks, user: { runAsUser: 1001, runAsGroup: 1000 } } }
    const [, , other] = buildJob(build('a'), named, credentials, inputs).spec.template.spec.containers
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
