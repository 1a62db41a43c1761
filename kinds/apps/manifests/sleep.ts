/**
 * The additional objects of a service that the add-on may put to sleep: the route of the interceptor, which holds
 * requests until a copy is ready; a Service by which the ingress finds the interceptor; and the ScaledObject that
 * scales the copies.
 */
import { sleepRequestsPerCopy } from '../../../contract/process-limits.ts'
import { apiVersionOf, sleepTypes } from '../../meta/resource-types.ts'
import type { AppSpec } from '../kind.ts'
import { type ownedLabels, wakeServiceName } from '../names.ts'

/** The addresses of the add-on on this cluster. */
export interface SleepSettings {
  /** The interceptor's host, as the ingress controller resolves it, and its port. */
  interceptor: { host: string; port: number }
  /** `host:port` of the add-on's external scaler, as KEDA reaches it. */
  scaler: string
}

interface Meta {
  name: string
  namespace: string
  labels: ReturnType<typeof ownedLabels>
}

/** The most copies that run while the service is awake. */
export const mostAwake = ({ scaleToZero, replicas }: AppSpec): number =>
  scaleToZero.maxReplicas ?? Math.max(1, replicas)

/** The interceptor answers a request with an error when no copy is ready within this time. */
const readinessWithin = '180s'

/** The interceptor finds the service of a request by these hosts. */
export function interceptorRoute(meta: Meta, hosts: readonly string[]) {
  return {
    apiVersion: apiVersionOf(sleepTypes.route),
    kind: sleepTypes.route.kind,
    metadata: meta,
    spec: {
      target: { service: meta.name, port: 80 },
      rules: [{ hosts: [...new Set(hosts)] }],
      scalingMetric: { concurrency: { targetValue: sleepRequestsPerCopy } },
      // No limit on the time of an answer, as without the interceptor.
      timeouts: { readiness: readinessWithin, responseHeader: '0s' },
    },
  }
}

/** The Service that leads to the interceptor: an Ingress can name only Services of its own namespace. */
export function wakeService(meta: Meta, uid: string, { interceptor }: SleepSettings) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...meta, name: wakeServiceName(meta.name, uid) },
    spec: {
      type: 'ExternalName',
      externalName: interceptor.host,
      ports: [{ name: 'http', port: interceptor.port, targetPort: interceptor.port, protocol: 'TCP' }],
    },
  }
}

/** @param least how many copies run without a request: 0, unless a deploy is being verified or sleep ends */
export function scaledObject(meta: Meta, spec: AppSpec, { scaler }: SleepSettings, least: number) {
  const { idleSeconds } = spec.scaleToZero
  return {
    apiVersion: apiVersionOf(sleepTypes.scaler),
    kind: sleepTypes.scaler.kind,
    metadata: meta,
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: meta.name },
      minReplicaCount: least,
      maxReplicaCount: Math.max(least, mostAwake(spec)),
      cooldownPeriod: idleSeconds,
      initialCooldownPeriod: idleSeconds,
      pollingInterval: 15,
      triggers: [{ type: 'external-push', metadata: { scalerAddress: scaler, interceptorRoute: meta.name } }],
    },
  }
}
