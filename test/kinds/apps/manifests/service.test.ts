/** The manifests of a service, as far as its settings decide them. */
import type { V1Container } from '@kubernetes/client-node'
import { expect } from 'chai'
import { type AppSpec, appSpec } from '../../../../kinds/apps/kind.ts'
import { groundwork, type Placing, workload } from '../../../../kinds/apps/manifests/service.ts'

const spec = (change: Partial<AppSpec> = {}): AppSpec => ({
  ...appSpec.parse({ project: 'proj-00000001', environment: 'production', source: { image: { image: 'a:1' } } }),
  ...change,
})
const placing: Placing = {
  name: 'web',
  uid: 'u1',
  release: 'web-aaaaa',
  hasSecrets: false,
  secretName: '',
  ingressClass: 'traefik',
  clusterIssuer: 'issuer',
  steadySeconds: 3,
  nodes: { region: '', tags: [] },
  confinement: 'baseline',
  scratchLimit: '10Gi',
  runner: 'svc/function-node:1',
  askedEarly: true,
}
/** What a function's pods are made of, as far as the tests look at it. */
interface FunctionPods {
  minReadySeconds: number
  template: {
    spec: { volumes: { configMap?: { name: string } }[]; containers: V1Container[] }
  }
}
const functionPods = (wanted: AppSpec, where = placing) =>
  (workload(wanted, where).find((made) => made.kind === 'Deployment') as unknown as { spec: FunctionPods }).spec
const kinds = (wanted: AppSpec, where = placing) =>
  [...groundwork(wanted, where), ...workload(wanted, where)].map((made) => made.kind)
const deployment = (wanted: AppSpec, where = placing) =>
  workload(wanted, where).find((made) => made.kind === 'Deployment') as unknown as {
    spec: {
      replicas?: number
      minReadySeconds: number
      template: { spec: { containers: { env: object[]; envFrom?: object[]; resources: object }[] } }
    }
  }
const probe = { path: '/', periodSeconds: 10, timeoutSeconds: 2, failureThreshold: 3 }

describe('the manifests of a service', () => {
  const base = ['ServiceAccount', 'Deployment', 'Service']
  const table: [string, AppSpec, string[]][] = [
    ['nothing special', spec(), base],
    ['plain variables', spec({ configData: { A: '1' } }), ['ServiceAccount', 'ConfigMap', 'Deployment', 'Service']],
    ['a host', spec({ ingress: { ...spec().ingress, host: 'a.example.com' } }), [...base, 'Ingress']],
    ['two copies', spec({ replicas: 2 }), [...base, 'PodDisruptionBudget']],
    [
      'autoscaling',
      spec({ autoscaling: { minReplicas: 1, maxReplicas: 3, targetCPUUtilization: 50 } }),
      [...base, 'HorizontalPodAutoscaler'],
    ],
  ]
  for (const [what, wanted, made] of table)
    it(`${what}: ${made.join(', ')}`, () => expect(kinds(wanted)).to.deep.equal(made))

  it('a function: its code in an immutable object of the release, mounted read-only into its runner', () => {
    const fn = { runtime: 'node' as const, mode: 'event' as const, code: 'export default 1', triggers: [] }
    const wanted = spec({ source: { function: fn }, configData: { A: '1' }, build: { cache: true, command: ['sh'] } })
    const restricted = { ...placing, confinement: 'restricted' as const }
    const code = groundwork(wanted, restricted).find(({ metadata }) => metadata?.name === 'web-aaaaa-code')
    expect(code).to.deep.include({ kind: 'ConfigMap', immutable: true, data: { 'index.mts': 'export default 1' } })
    const pod = functionPods(wanted, restricted)
    expect(pod.minReadySeconds).to.equal(0)
    expect(pod.template.spec.volumes[0]?.configMap?.name).to.equal('web-aaaaa-code')
    const [container] = pod.template.spec.containers
    expect(container).to.include({ image: 'svc/function-node:1' })
    expect(container?.command).to.equal(undefined)
    expect(container?.args).to.deep.equal(['/function/index.mts', 'event'])
    expect(container?.envFrom).to.deep.equal([{ configMapRef: { name: 'web-aaaaa' } }])
    expect(container?.volumeMounts?.[0]).to.deep.equal({ name: 'code', mountPath: '/function', readOnly: true })
    expect(container?.readinessProbe?.httpGet?.path).to.equal('/.svc/health')
    expect(container?.securityContext).to.deep.include({ readOnlyRootFilesystem: true, runAsNonRoot: true })
    expect(container?.securityContext?.capabilities).to.deep.equal({ drop: ['ALL'] })
    const asked = spec({ source: { function: fn }, deploy: { ...spec().deploy, readinessProbe: probe } })
    const [own] = functionPods(asked).template.spec.containers
    expect(own?.readinessProbe?.httpGet?.path, 'a probe of its own').to.equal('/')
  })
  it('leaves the number of copies to the autoscaler', () => {
    expect(
      deployment(spec({ replicas: 4, autoscaling: { minReplicas: 1, maxReplicas: 3, targetCPUUtilization: 50 } })).spec
        .replicas,
    ).to.equal(undefined)
  })
  it('a copy that cannot be asked counts as up once it has run for a while; one with a probe when it answers', () => {
    expect(deployment(spec()).spec.minReadySeconds).to.equal(3)
    expect(deployment(spec({ deploy: { ...spec().deploy, readinessProbe: probe } })).spec.minReadySeconds).to.equal(0)
  })
  const containerOf = (deploy: Partial<AppSpec['deploy']>, where = placing): V1Container | undefined =>
    functionPods(spec({ deploy: { ...spec().deploy, ...deploy } }), where).template.spec.containers[0]
  it('asks a copy with a readiness probe every second until it answers once, and never ends it for that', () => {
    expect(containerOf({ readinessProbe: { ...probe, path: '/up', port: 81 } })?.startupProbe).to.deep.equal({
      httpGet: { path: '/up', port: 81 },
      periodSeconds: 1,
      timeoutSeconds: 2,
      failureThreshold: 2_147_483_647,
    })
  })
  it('asks so no copy that has no such probe, a start probe of its own, or one that would begin later', () => {
    expect(containerOf({})?.startupProbe, 'none').to.equal(undefined)
    expect(containerOf({ readinessProbe: probe, livenessProbe: probe })?.startupProbe, 'liveness').to.equal(undefined)
    const own = { ...probe, path: '/started' }
    expect(containerOf({ readinessProbe: probe, startupProbe: own })?.startupProbe?.httpGet?.path).to.equal('/started')
  })
  it('deployed before copies were asked so, it is what it was then', () => {
    const then = { ...placing, askedEarly: false }
    expect(containerOf({ readinessProbe: probe }, then)?.startupProbe).to.equal(undefined)
    expect(containerOf({ startupProbe: probe }, then)?.startupProbe?.httpGet?.path).to.equal('/')
  })
  it('takes variables from the release only, and limits what it requests', () => {
    const [container] = deployment(spec({ configData: { A: '1' } }), {
      ...placing,
      hasSecrets: true,
      secretName: 'web-older',
    }).spec.template.spec.containers
    expect(container?.envFrom).to.deep.equal([
      { configMapRef: { name: 'web-aaaaa' } },
      { secretRef: { name: 'web-older' } },
    ])
    const asked = { cpu: '100m', memory: '128Mi' }
    expect(container?.resources).to.deep.equal({
      requests: { ...asked, 'ephemeral-storage': '0' },
      limits: { ...asked, 'ephemeral-storage': '10Gi' },
    })
  })
  it('gives no copy a token, nor the addresses of other services, however it is confined', () => {
    for (const confinement of ['unconfined', 'baseline', 'restricted'] as const) {
      expect(groundwork(spec(), placing)[0]).to.have.property('automountServiceAccountToken', false)
      const pod = deployment(spec(), { ...placing, confinement }).spec.template.spec
      expect(pod).to.include({
        serviceAccountName: 'web',
        automountServiceAccountToken: false,
        enableServiceLinks: false,
      })
    }
  })
  it('deployed before copies were confined, it is what it was then', () => {
    const [container] = deployment(spec(), { ...placing, confinement: 'unconfined' }).spec.template.spec.containers
    expect(container).to.deep.include({
      resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '100m', memory: '128Mi' } },
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['NET_RAW'] } },
    })
  })
  it('asks for the nodes of its project and its own tags, and tolerates that they are reserved', () => {
    const made = workload(spec({ runOn: { tags: ['ssd'] } }), {
      ...placing,
      nodes: { region: 'eu', tags: ['gdpr'] },
    })[0] as unknown as {
      metadata: { annotations: object }
      spec: { template: { metadata: { annotations: object }; spec: object } }
    }
    expect(made.spec.template.spec).to.deep.include({
      nodeSelector: { 'topology.kubernetes.io/region': 'eu', 'svc.dev/tag-gdpr': 'true', 'svc.dev/tag-ssd': 'true' },
      tolerations: ['gdpr', 'ssd'].map((tag) => ({
        key: `svc.dev/reserved-${tag}`,
        operator: 'Exists',
        effect: 'NoSchedule',
      })),
    })
    // Annotated on the Deployment, for the watch; in the pod template it would cause one more rollout.
    expect(made.metadata.annotations).to.deep.equal({
      'svc.dev/release': 'web-aaaaa',
      'svc.dev/node-choice': 'eu/gdpr',
    })
    expect(made.spec.template.metadata.annotations).to.deep.equal({ 'svc.dev/release': 'web-aaaaa' })
  })
  it('gives a host where the install has a domain for it', () => {
    const made = workload(spec(), { ...placing, autoHosts: { domain: 'localhost', port: 8088 } }).find(
      (one) => one.kind === 'Ingress',
    ) as unknown as {
      spec: { rules: { host: string }[] }
    }
    expect(made.spec.rules[0]?.host).to.equal('web-proj-00000001.localhost')
  })
})
