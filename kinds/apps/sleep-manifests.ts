/**
 * What a service consists of besides while the add-on may put it to sleep: a route of the interceptor, who holds
 * requests until a copy is ready, a Service by which the ingress finds the interceptor, and what scales the copies.
 */
import { apiVersionOf, sleepTypes } from '../meta/resource-types.ts'
import type { AppSpec } from './kind.ts'
import { type ownedLabels, wakeServiceName } from './names.ts'

/** Where the add-on is on this cluster. */
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

/** The most copies while it is awake. */
export const mostAwake = ({ scaleToZero, replicas }: AppSpec): number =>
  scaleToZero.maxReplicas ?? Math.max(1, replicas)

/** So many requests at once are one copy's; the add-on's own default. */
export const requestsPerCopy = 100
/** A request gives up after this long without a ready copy. */
const readinessWithin = '180s'

/** The interceptor knows the service by these hosts. */
export function interceptorRoute(meta: Meta, hosts: readonly string[]) {
  return {
    apiVersion: apiVersionOf(sleepTypes.route),
    kind: sleepTypes.route.kind,
    metadata: meta,
    spec: {
      target: { service: meta.name, port: 80 },
      rules: [{ hosts: [...new Set(hosts)] }],
      scalingMetric: { concurrency: { targetValue: requestsPerCopy } },
      // An answer may take as long as it does without the interceptor.
      timeouts: { readiness: readinessWithin, responseHeader: '0s' },
    },
  }
}

/** An Ingress leads to Services of its own namespace only. */
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

/** @param least copies that run without a request: none, unless a deploy is being verified or sleep ends */
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
