/** The volume of a service as tables: what it rules out, what settings make of it, and what is made for it. */
import { expect } from 'chai'
import { copyOfApp } from '../../../../kinds/apps/git/pull-request-copy.ts'
import { appDraft, withLiveSettings, withSpec } from '../../../../kinds/apps/spec/draft.ts'
import { missingKinds } from '../../../../kinds/apps/assess/health.ts'
import { type App, type AppSpec, appSpec } from '../../../../kinds/apps/kind.ts'
import { type Placing, workload } from '../../../../kinds/apps/manifests/service.ts'
import { refuseMove } from '../../../../kinds/apps/spec/place.ts'
import { withEarlier } from '../../../../kinds/apps/deploy/rollback.ts'
import { type ServiceSettings, withSettings } from '../../../../kinds/apps/spec/settings.ts'
import { growthRefusal, keptSize, refuseVolumeSize, volumeTrouble } from '../../../../kinds/apps/spec/volume.ts'
import { volumeClaim } from '../../../../kinds/apps/manifests/volume.ts'
import { annotations } from '../../../../kinds/meta/annotations.ts'
import { fieldChanges } from '../../../../kinds/provision/pending-diff.ts'

const volume = { path: '/data', size: '10Gi' }
const parsed = (fields: object = {}): AppSpec =>
  appSpec.parse({
    project: 'proj-0000000a',
    environment: 'production',
    source: { image: { image: 'a:1' } },
    deploy: { enabled: true },
    ...fields,
  })
const bare = parsed()
const kept = parsed({ volume })
const autoscaling = { minReplicas: 1, maxReplicas: 3, targetCPUUtilization: 50 }
const appWith = (spec: AppSpec, more: Partial<App> = {}): App => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcApp',
  metadata: { name: 'web', uid: 'u', annotations: { [annotations.lastDeployed]: JSON.stringify(spec) } },
  spec,
  ...more,
})
const sentenceOf = (work: () => unknown): string => {
  try {
    work()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const oneCopy =
  'a service with a volume runs one copy: replicas and scaleToZeroMax are at most 1, and autoscaling is off'

describe('The volume of a service', () => {
  const edits: [string, AppSpec, ServiceSettings, AppSpec['volume'] | string][] = [
    ['a path gives one of the usual size', bare, { volumePath: '/data' }, volume],
    ['a size beside it', bare, { volumePath: '/data', volumeSize: '1Gi' }, { path: '/data', size: '1Gi' }],
    ['a larger size alone', kept, { volumeSize: '20Gi' }, { path: '/data', size: '20Gi' }],
    ['another path keeps the size', kept, { volumePath: '/srv' }, { path: '/srv', size: '10Gi' }],
    ['a blank size stays', kept, { volumeSize: '' }, volume],
    ['an empty path takes it away', kept, { volumePath: '' }, undefined],
    ['with its size, as a form sends both', kept, { volumePath: '', volumeSize: '10Gi' }, undefined],
    ['other settings leave it', kept, { port: 9000 }, volume],
    ['a size without a path', bare, { volumeSize: '1Gi' }, 'set volumePath to give the service a volume'],
    ['more copies', kept, { replicas: 2 }, oneCopy],
    ['autoscaling', kept, { autoscaling: true }, oneCopy],
    ['more copies while awake', kept, { scaleToZeroMax: 2 }, oneCopy],
    ['a service of several copies', parsed({ replicas: 2 }), { volumePath: '/data' }, oneCopy],
    ['sleep with one copy', kept, { scaleToZero: true, scaleToZeroMax: 1 }, volume],
    ['no copy at all', kept, { replicas: 0 }, volume],
    ['more copies instead', kept, { volumePath: '', replicas: 3 }, undefined],
    [
      'a function',
      parsed({ source: { function: { code: 'x' } } }),
      { volumePath: '/data' },
      'volumePath applies to image and git services only',
    ],
  ]
  for (const [what, spec, settings, wanted] of edits)
    it(`${what}: ${typeof wanted === 'string' ? wanted : JSON.stringify(wanted)}`, () => {
      if (typeof wanted === 'string') expect(sentenceOf(() => withSettings(spec, settings))).to.equal(wanted)
      else expect(withSettings(spec, settings).volume).to.deep.equal(wanted)
    })

  it('waits for a deploy, and is shown as what a deploy would change', () => {
    const edited = withSpec(appWith(bare), kept)
    expect(edited.metadata.annotations?.[annotations.pendingChanges]).to.equal('settings')
    expect(fieldChanges(appDraft, { lastDeployed: bare, pendingChanges: ['settings'] }, kept)).to.deep.equal([
      { field: 'volume.path', after: '/data' },
      { field: 'volume.size', after: '10Gi' },
    ])
  })

  it('bears one copy while it runs, whatever is saved for the deploy that takes it away', () => {
    const saved = parsed({ replicas: 3, autoscaling, scaleToZero: { enabled: true, maxReplicas: 4 } })
    const runs = withLiveSettings(kept, saved)
    expect([runs.volume, runs.replicas, runs.autoscaling]).to.deep.equal([volume, 1, undefined])
    expect(runs.scaleToZero).to.deep.include({ enabled: true, maxReplicas: 1 })
    expect(withLiveSettings(bare, saved)).to.deep.include({ replicas: 3, autoscaling })
  })

  it('stays as it is through a rollback, with one copy', () => {
    expect(withEarlier(kept, { image: 'a:0', replicas: 3 })).to.deep.include({ volume, replicas: 1 })
    expect(withEarlier(bare, { image: 'a:0', replicas: 3 })).to.include({ replicas: 3 })
  })

  it('keeps its service where it is, also once it was taken away', () => {
    const sentence =
      'the service has a volume, which stays in its environment; make a new service there and move the data'
    expect(sentenceOf(() => refuseMove(appWith(kept), { deploy: true }))).to.equal(sentence)
    const had = appWith(bare, { status: { volume: { claim: 'web-volume' } } })
    expect(sentenceOf(() => refuseMove(had, { deploy: true }))).to.equal(sentence)
    expect(sentenceOf(() => refuseMove(appWith(bare), { deploy: true }))).to.equal('')
    const draft = appWith(parsed({ volume, deploy: {} }))
    expect(sentenceOf(() => refuseMove(draft, { deploy: false }))).to.equal('')
  })

  it('is copied empty into the environment of a pull request', () => {
    const place = { project: 'proj-0000000a', base: 'production', environment: 'pr-7', names: new Map() }
    const copy = copyOfApp(appWith(kept), place, { commit: undefined, secrets: true })
    expect(copy?.spec.volume).to.deep.equal(volume)
    expect(copy?.left).to.deep.equal(['the data of its volume: its own begins empty'])
  })

  it('never shrinks, and grows where its class can', () => {
    const there = { size: '10Gi', expandable: false }
    const cannot = 'this cluster cannot enlarge volumes; the volume keeps its 10Gi'
    const sizes: [string, boolean, string][] = [
      ['1Gi', true, 'volumeSize cannot shrink; the volume has 10Gi'],
      ['10Gi', false, ''],
      ['10240Mi', false, ''],
      ['20Gi', false, cannot],
      ['20Gi', true, ''],
    ]
    for (const [size, expandable, sentence] of sizes)
      expect(
        sentenceOf(() => refuseVolumeSize(size, { ...there, expandable })),
        size,
      ).to.equal(sentence)
    expect(growthRefusal('20Gi', there)).to.equal(cannot)
    expect(growthRefusal('1Gi', there)).to.equal('')
    const applied = [keptSize('1Gi', undefined), keptSize('1Gi', '10Gi'), keptSize('20Gi', '10Gi')]
    expect(applied).to.deep.equal(['1Gi', '10Gi', '20Gi'])
  })

  const placing: Placing = {
    name: 'web',
    uid: 'u',
    release: 'web-aaaaa',
    hasSecrets: false,
    secretName: '',
    ingressClass: 'traefik',
    clusterIssuer: 'issuer',
    steadySeconds: 3,
    nodes: { region: '', tags: [] },
    confinement: 'restricted',
    scratchLimit: '10Gi',
    runner: '',
    askedEarly: true,
  }

  it('is mounted into copies that follow each other, which may write to it without being root', () => {
    const made = workload(kept, placing)[0] as unknown as { spec: { strategy: object; template: { spec: PodSpec } } }
    interface PodSpec {
      securityContext: object
      volumes: object[]
      containers: { volumeMounts: object[] }[]
    }
    expect(made.spec.strategy).to.deep.equal({ type: 'Recreate' })
    const pod = made.spec.template.spec
    expect(pod.securityContext).to.deep.equal({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      fsGroup: 2000,
      fsGroupChangePolicy: 'OnRootMismatch',
    })
    expect(pod.volumes).to.deep.equal([{ name: 'data', persistentVolumeClaim: { claimName: 'web-volume' } }])
    expect(pod.containers[0]?.volumeMounts).to.deep.equal([{ name: 'data', mountPath: '/data' }])
    expect(volumeClaim(kept, placing, '20Gi')).to.deep.include({
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '20Gi' } } },
    })
  })

  it('is missing where its claim is', () => {
    const made = { ServiceAccount: { metadata: {} }, Service: { metadata: {} } }
    expect(missingKinds(kept, '', made)).to.deep.equal(['PersistentVolumeClaim'])
    expect(missingKinds(bare, '', made)).to.deep.equal([])
  })

  const full = (claim: string, share: number, namespace = 'proj-0000000a-production') => ({ namespace, claim, share })
  const said = 'its volume is 87 % full; raise volumeSize or remove data'
  const has: Partial<App> = { status: { volume: { claim: 'web-volume' } } }
  const fillings: [string, App, ReturnType<typeof full>[], string][] = [
    ['is almost full', appWith(kept, has), [full('web-volume', 0.879)], said],
    ['is so while a deploy takes it away', appWith(bare, has), [full('web-volume', 0.879)], said],
    ['has free space', appWith(kept, has), [], ''],
    ['was never made', appWith(kept), [full('web-volume', 0.9)], ''],
    ['is another one', appWith(kept, has), [full('web-api-volume', 0.9), full('web-volume', 0.9, 'other')], ''],
  ]
  for (const [what, app, volumes, message] of fillings)
    it(`says '${message}' where it ${what}`, () => expect(volumeTrouble(app, volumes)).to.equal(message))
})
