/**
 * The objects of a service on the cluster: pure makers from the effective spec. The activities that write them decide
 * nothing.
 */
import type {
  V1Deployment,
  V2HorizontalPodAutoscaler,
  V1Ingress,
  V1PodDisruptionBudget,
  V1Service,
  V1ServiceAccount,
  V1ConfigMap,
} from '@kubernetes/client-node'
import { annotations, labels } from '../../meta/annotations.ts'
import { type AutoHosts, hostOf } from '../hosts.ts'
import { podSecurityOf } from './confinement.ts'
import { appContainer, type ContainerNeeds } from './container.ts'
import type { AppSpec } from '../kind.ts'
import { codeName, codeOf, runnerVolumes } from '../functions/function.ts'
import { wantedCopies } from '../assess/health.ts'
import { ownedLabels, wakeServiceName } from '../names.ts'
import { targetNamespace } from '../spec/place.ts'
import { interceptorRoute, scaledObject, type SleepSettings, wakeService } from './sleep.ts'
import { groupOf, strategyWith, volumesOf } from './volume.ts'
import { choiceKey, type NodeChoice, nodeSelectorOf, withTags } from '../../placement/node-choice.ts'
import { tagTolerations } from '../../placement/node-tags.ts'
import { defined } from '../../../contract/defined.ts'

/** Everything a maker needs besides the spec. */
export interface Placing extends ContainerNeeds {
  name: string
  uid: string
  ingressClass: string
  clusterIssuer: string
  autoHosts?: AutoHosts | undefined
  /** How long a copy without a readiness probe must run before it counts as up. */
  steadySeconds: number
  /** Which nodes the project of the service asks for. */
  nodes: NodeChoice
  /** Set while the add-on scales its copies. */
  sleep?: SleepSettings | undefined
}

/** An object to apply; JSON as the cluster takes it. */
export type Manifest = (
  | V1ServiceAccount
  | V1ConfigMap
  | V1Deployment
  | V1Service
  | V1Ingress
  | V2HorizontalPodAutoscaler
  | V1PodDisruptionBudget
) & {
  kind: string
  apiVersion: string
}

/** The number of copies that svc writes: undefined while the autoscaler owns it. */
function fixedReplicas(spec: AppSpec): number | undefined {
  return spec.autoscaling === undefined ? spec.replicas : undefined
}

function meta(spec: AppSpec, placing: Placing, name = placing.name) {
  return {
    name,
    namespace: targetNamespace(spec),
    labels: ownedLabels({ name: placing.name, uid: placing.uid, project: spec.project, environment: spec.environment }),
  }
}

/** What pods need before they can start: identity and configuration. */
export function groundwork(spec: AppSpec, placing: Placing): Manifest[] {
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: meta(spec, placing),
    automountServiceAccountToken: false,
  } satisfies V1ServiceAccount
  const config = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: meta(spec, placing, placing.release),
    data: spec.configData,
    immutable: true,
  } satisfies V1ConfigMap
  const fn = spec.source.function
  const code = fn && {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: meta(spec, placing, codeName(placing.release)),
    data: codeOf(fn),
    immutable: true,
  }
  return [
    account,
    ...(Object.keys(spec.configData).length === 0 ? [] : [config]),
    ...(code === undefined ? [] : [code]),
  ]
}

/** The Deployment and the objects that lead to it. */
export function workload(spec: AppSpec, placing: Placing): Manifest[] {
  const made: Manifest[] = [deployment(spec, placing), service(spec, placing)]
  const host = hostOf(placing.name, spec, placing.autoHosts)
  if (host !== '') made.push(ingress(spec, placing, host))
  if (spec.autoscaling !== undefined) made.push(autoscaler(spec, placing, spec.autoscaling))
  if (wantedCopies(spec) >= 2) made.push(disruptionBudget(spec, placing))
  return made
}

/**
 * The objects of sleep-when-idle, in the order in which they are applied: requests go through the interceptor before
 * KEDA may remove the last copy. @param least see `scaledObject`
 */
export function sleepParts(spec: AppSpec, placing: Placing, sleep: SleepSettings, least: number) {
  const owned = meta(spec, placing)
  const hosts = [hostOf(placing.name, spec, placing.autoHosts), ...spec.ingress.rules.map(({ host }) => host)]
  return {
    route: interceptorRoute(owned, hosts),
    service: wakeService(owned, placing.uid, sleep),
    scaler: scaledObject(owned, spec, sleep, least),
  }
}

/** The kinds that a service may do without: a pass deletes those that `workload` does not make. */
export const optionalKinds = ['Ingress', 'HorizontalPodAutoscaler', 'PodDisruptionBudget'] as const

function deployment(spec: AppSpec, placing: Placing) {
  const owned = meta(spec, placing)
  const replicas = placing.sleep === undefined ? fixedReplicas(spec) : undefined
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...owned, annotations: { [annotations.release]: placing.release, ...chosen(placing) } },
    spec: {
      ...defined({ replicas }),
      revisionHistoryLimit: 2,
      progressDeadlineSeconds: 600,
      // Without a probe Kubernetes counts a process as ready the moment it starts, even if it dies right after.
      minReadySeconds:
        spec.deploy.readinessProbe === undefined && spec.source.function === undefined ? placing.steadySeconds : 0,
      selector: { matchLabels: { [labels.owner]: placing.uid } },
      strategy: strategyWith(spec.volume),
      template: {
        metadata: { labels: owned.labels, annotations: { [annotations.release]: placing.release } },
        spec: {
          serviceAccountName: placing.name,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { ...podSecurityOf(placing.confinement), ...groupOf(spec.volume) },
          ...(spec.source.image?.pullSecret === undefined
            ? {}
            : { imagePullSecrets: [{ name: spec.source.image.pullSecret }] }),
          ...whereToRun(withTags(placing.nodes, spec.runOn.tags)),
          containers: [appContainer(spec, placing)],
          ...volumesOf(placing.name, spec.volume),
          ...(spec.source.function === undefined ? {} : { volumes: runnerVolumes(placing.release) }),
        },
      },
    },
  } satisfies V1Deployment
}

/** The annotation by which the watch sees that the project now asks for other nodes. */
function chosen({ nodes }: Placing): Record<string, string> {
  const key = choiceKey(nodes)
  return key === '' ? {} : { [annotations.nodeChoice]: key }
}

function whereToRun(choice: NodeChoice) {
  const nodeSelector = nodeSelectorOf(choice)
  const tolerations = tagTolerations(choice.tags)
  return {
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  }
}

function service(spec: AppSpec, placing: Placing) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta(spec, placing),
    spec: {
      selector: { [labels.owner]: placing.uid },
      ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }],
    },
  } satisfies V1Service
}

function ingress(spec: AppSpec, placing: Placing, host: string) {
  const { path, tlsEnabled, rules } = spec.ingress
  const { name, uid, sleep } = placing
  const backend = { service: { name: sleep === undefined ? name : wakeServiceName(name, uid), port: { name: 'http' } } }
  const all = [{ host, path }, ...rules]
  const owned = meta(spec, placing)
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: tlsEnabled
      ? { ...owned, annotations: { 'cert-manager.io/cluster-issuer': placing.clusterIssuer } }
      : owned,
    spec: {
      ingressClassName: placing.ingressClass,
      rules: all.map((rule) => ({
        host: rule.host,
        http: { paths: [{ path: rule.path, pathType: 'Prefix', backend }] },
      })),
      ...(tlsEnabled
        ? { tls: [{ hosts: [...new Set(all.map((rule) => rule.host))], secretName: `${placing.name}-tls` }] }
        : {}),
    },
  } satisfies V1Ingress
}

function autoscaler(spec: AppSpec, placing: Placing, wanted: NonNullable<AppSpec['autoscaling']>) {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: meta(spec, placing),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: placing.name },
      minReplicas: wanted.minReplicas,
      maxReplicas: wanted.maxReplicas,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: wanted.targetCPUUtilization } },
        },
      ],
    },
  } satisfies V2HorizontalPodAutoscaler
}

function disruptionBudget(spec: AppSpec, placing: Placing) {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta(spec, placing),
    spec: { maxUnavailable: 1, selector: { matchLabels: { [labels.owner]: placing.uid } } },
  } satisfies V1PodDisruptionBudget
}
