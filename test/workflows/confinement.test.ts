/** Pods are confined: an environment gets its limits at setup, the copies of a service at its next deploy. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { withSpec } from '../../kinds/apps/spec/draft.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import { projectState } from '../../kinds/projects/intent.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { acceptRollback } from '../../records/apps/accept-rollback.ts'
import { eventually } from '../cluster/eventually.ts'
import {
  createApp,
  createProject,
  deploy,
  type TestRecords,
  until,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { useWorker } from '../harness/worker.ts'

const waitMs = 20_000
const enforce = 'pod-security.kubernetes.io/enforce'
const ofServices = 'svc.dev/pod-security'

interface Container {
  securityContext: { capabilities: { drop: string[]; add?: string[] } }
  resources: { limits: Record<string, string>; requests: Record<string, string> }
}
type Workload = KubeObject & {
  metadata: { generation: number }
  spec: { replicas: number; template: { spec: { securityContext: object; containers: Container[] } } }
}

describe('what runs is confined', function () {
  this.timeout(90_000)
  let records: TestRecords

  const reconciled = (project: Project) =>
    until(
      records.projects,
      project,
      (record) => record !== undefined && projectState(record).state === 'ready',
      'ready',
    )
  const place = (project: Project) => `${project.metadata.name}-production`
  const bound = (project: Project, type: ResourceType, name: string) =>
    records.client.get<KubeObject & { spec: Record<string, unknown> }>({ type, namespace: place(project), name })
  const namespaceOf = async (project: Project) =>
    await records.client.get<KubeObject>({ type: coreTypes.namespace, name: place(project) })
  const workload = async (app: App) => {
    const ref = { type: coreTypes.deployment, namespace: `${app.spec.project}-production`, name: app.metadata.name }
    const found = await records.client.get<Workload>(ref)
    if (found === undefined) throw new Error(`${app.metadata.name} has no Deployment`)
    const { containers, securityContext } = found.spec.template.spec
    return { pod: securityContext, container: containers[0] as Container, replicas: found.spec.replicas }
  }
  const ready = async (app: App) =>
    untilState(records, app, 'ready', viewOf(await deploy(records, app)).attempt?.record)
  /** Makes the environment one from before services were kept from running as root. */
  const letRoot = async (project: Project): Promise<void> => {
    await reconciled(project)
    await records.client.patch(
      { type: coreTypes.namespace, name: place(project) },
      { metadata: { labels: { [ofServices]: null } } },
    )
  }
  /** The retry that an operator requests after an upgrade. */
  const again = (project: Project) =>
    records.projects.edit(project.metadata.name, (current) => ({
      ...current,
      metadata: {
        ...current.metadata,
        annotations: { ...current.metadata.annotations, [annotations.retry]: 'once more' },
      },
    }))

  before(async () => {
    records = await useRecords()
    await useWorker()
  })

  it('an environment has its bindings, its level, its bounds and no way to the metadata of a cloud', async () => {
    const project = await createProject(records)
    await reconciled(project)
    expect((await namespaceOf(project))?.metadata.labels).to.include({
      [enforce]: 'baseline',
      'pod-security.kubernetes.io/warn': 'restricted',
      [ofServices]: 'restricted',
    })
    const policy = await bound(project, coreTypes.networkPolicy, 'svc-egress')
    expect(JSON.stringify(policy?.spec))
      .to.include('"cidr":"0.0.0.0/0","except":["169.254.0.0/16"')
      .and.include('fd00:ec2::254/128')
    expect((await bound(project, coreTypes.resourceQuota, 'svc-environment'))?.spec['hard']).to.include({ pods: '500' })
    expect(await bound(project, coreTypes.limitRange, 'svc-environment')).not.to.equal(undefined)
    for (const account of ['svc-worker', 'svc-api'])
      expect(await bound(project, coreTypes.roleBinding, account)).not.to.equal(undefined)
  })

  it('an environment that is older gets all of it at the next pass, and keeps what an administrator set', async () => {
    const [older, strict] = [await createProject(records), await createProject(records)]
    await Promise.all([reconciled(older), reconciled(strict)])
    const label = (project: Project, level: string | null) =>
      records.client.patch(
        { type: coreTypes.namespace, name: place(project) },
        { metadata: { labels: { [enforce]: level } } },
      )
    await label(older, null)
    await letRoot(older)
    await label(strict, 'restricted')
    const gone: [ResourceType, string][] = [
      [coreTypes.networkPolicy, 'svc-egress'],
      [coreTypes.resourceQuota, 'svc-environment'],
      [coreTypes.roleBinding, 'svc-api'],
      [coreTypes.roleBinding, 'svc-worker'],
    ]
    for (const [type, name] of gone) await records.client.delete({ type, namespace: place(older), name })
    await Promise.all([again(older), again(strict)])
    const back = async () =>
      (await Promise.all(gone.map(([type, name]) => bound(older, type, name)))).every((found) => found !== undefined)
    await eventually('everything is back', back, waitMs)
    const levels = async () =>
      [await namespaceOf(older), await namespaceOf(strict)].map((namespace) => namespace?.metadata.labels?.[enforce])
    await eventually('the older one has a level', async () => (await levels())[0] === 'baseline', waitMs)
    await reconciled(strict)
    expect((await levels())[1]).to.equal('restricted')
    // What runs there as root goes on with the next deploy.
    const app = await createApp(records, older)
    await ready(app)
    expect((await workload(app)).pod).not.to.have.property('runAsNonRoot')
    expect((await namespaceOf(older))?.metadata.labels).not.to.have.property(ofServices)
  })

  it('copies do not run as root, until an admin lets their service with the next deploy', async () => {
    const app = await createApp(records, await createProject(records))
    await ready(app)
    const confined = await workload(app)
    expect(confined.pod).to.include({ runAsNonRoot: true })
    expect(confined.container.securityContext.capabilities).to.deep.equal({ drop: ['ALL'], add: ['NET_BIND_SERVICE'] })
    await records.apps.edit(app.metadata.name, (current) => withSpec(current, { ...current.spec, runAsRoot: true }))
    await ready(app)
    expect((await workload(app)).pod).not.to.have.property('runAsNonRoot')
  })

  it('copies that may run as root have the capabilities that ordinary images need, and a bound on what they write', async () => {
    const app = await createApp(records, await createProject(records), { runAsRoot: true })
    await ready(app)
    const { pod, container } = await workload(app)
    expect(pod)
      .to.deep.include({ seccompProfile: { type: 'RuntimeDefault' } })
      .and.not.have.property('runAsNonRoot')
    expect(container.securityContext.capabilities.drop).to.deep.equal(['ALL'])
    expect(container.securityContext.capabilities.add).to.include('NET_BIND_SERVICE').and.not.include('SYS_CHROOT')
    expect(container.resources.limits).to.include({ 'ephemeral-storage': '10Gi' })
    expect(container.resources.requests).to.include({ 'ephemeral-storage': '0' })
  })

  it('where the namespace lets in restricted pods only, copies are such, whatever their service may', async () => {
    const project = await createProject(records)
    await reconciled(project)
    await records.client.patch(
      { type: coreTypes.namespace, name: place(project) },
      { metadata: { labels: { [enforce]: 'restricted' } } },
    )
    const app = await createApp(records, project, { runAsRoot: true })
    await ready(app)
    const { pod, container } = await workload(app)
    expect(pod).to.include({ runAsNonRoot: true })
    expect(container.securityContext.capabilities).to.deep.equal({ drop: ['ALL'], add: ['NET_BIND_SERVICE'] })
  })

  it('copies from before run on as they are through live settings and a rollback, until the next deploy', async () => {
    const project = await createProject(records)
    await letRoot(project)
    const app = await createApp(records, project)
    const first = viewOf(await ready(app)).attempt?.record ?? ''
    // The attempt as an earlier version wrote it.
    const { confined: _, ...older } = viewOf((await records.apps.readLive(app.metadata.name)) ?? app).attempt ?? {}
    const setAttempt = (current: App): App => ({
      ...current,
      metadata: {
        ...current.metadata,
        annotations: { ...current.metadata.annotations, [annotations.attempt]: JSON.stringify(older) },
      },
    })
    await records.apps.edit(app.metadata.name, setAttempt)
    await records.deployments.edit(first, (record) => {
      const { [annotations.confined]: _mark, ...others } = record.metadata.annotations ?? {}
      return { ...record, metadata: { ...record.metadata, annotations: others } }
    })
    await records.deployments.readLive(first)
    await records.apps.edit(app.metadata.name, (current) => ({ ...current, spec: { ...current.spec, replicas: 2 } }))
    await eventually('the live setting is applied', async () => (await workload(app)).replicas === 2, waitMs)
    const before = (await workload(app)).container
    expect(before.securityContext.capabilities).to.deep.equal({ drop: ['NET_RAW'] })
    expect(before.resources.limits).not.to.have.property('ephemeral-storage')

    const second = await ready(app)
    expect((await workload(app)).container.securityContext.capabilities.drop).to.deep.equal(['ALL'])
    const back = await acceptRollback(records, second, { revision: first, actor: 'tester', requestId: 'test' })
    expect(viewOf(back).attempt?.confined).to.equal(undefined)
    const forth = await acceptRollback(records, back, {
      revision: viewOf(second).attempt?.record ?? '',
      actor: 'tester',
      requestId: 'test',
    })
    expect(viewOf(forth).attempt?.confined).to.equal(true)
  })

  it('says so when the quota of the environment is used up, and goes on when there is more', async () => {
    const project = await createProject(records)
    await reconciled(project)
    const quota = { type: coreTypes.resourceQuota, namespace: place(project), name: 'svc-environment' }
    const allow = (pods: string) => records.client.patch(quota, { spec: { hard: { pods } } })
    await allow('0')
    const isEnforced = async () =>
      (await records.client.get<KubeObject & { status?: { hard?: { pods?: string } } }>(quota))?.status?.hard?.pods ===
      '0'
    await eventually('the quota is effective', isEnforced, waitMs)
    const app = await createApp(records, project)
    await deploy(records, app)
    const said = (record: App | undefined) =>
      record !== undefined &&
      appState(record).message.includes('the quota of the environment is used up: pods=0 of pods=0')
    await until(records.apps, app, said, 'says that the quota is used up')
    await allow('10')
    await untilState(records, app, 'ready')
  })
})
