/** The tunnel of an install: its name, its routes, and the connector that runs on the cluster. */
import type { V1Deployment, V1Secret } from '@kubernetes/client-node'
import { labels, managedBySvc } from '../meta/annotations.ts'
import { systemNamespace } from '../meta/group.ts'
import { tunnelObject } from './settings.ts'

/** The key of the token in the tunnel's Secret. */
export const tokenKey = 'token'
const metricsPort = 2000

/** The name at the provider, by which people recognise the install. */
export const tunnelName = (install: string): string => `svc-${install}`

/** The CNAME target of hosts that a tunnel serves. */
export const tunnelTarget = (id: string): string => `${id}.cfargotunnel.com`

/** The host of the dashboard leads to its Service, every other host to the ingress; other requests are refused. */
export function tunnelRules(
  dashboard: { host: string; service: string },
  hosts: readonly string[],
  ingress: string,
): { hostname?: string; service: string }[] {
  const others = [...new Set(hosts)].filter((host) => host !== dashboard.host).toSorted()
  return [
    { hostname: dashboard.host, service: dashboard.service },
    ...others.map((hostname) => ({ hostname, service: ingress })),
    { service: 'http_status:404' },
  ]
}

const metadata = (install: string) => ({
  name: tunnelObject,
  namespace: systemNamespace,
  labels: { [labels.managedBy]: managedBySvc, [labels.owner]: install, [labels.purpose]: 'tunnel' },
})

/** @param data the token under `tokenKey`, encoded */
export function tunnelSecret(install: string, data: Record<string, string>) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata(install),
    type: 'Opaque',
    data,
  } satisfies V1Secret
}

/** @param version changes with the token, so that a new token restarts the connectors; not a secret */
export function tunnelConnector(install: string, image: string, version: string) {
  const own = metadata(install)
  const selector = { [labels.owner]: install, [labels.purpose]: 'tunnel' }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: own,
    spec: {
      replicas: 2,
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: own.labels, annotations: { 'svc.dev/tunnel-token': version } },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'cloudflared',
              image,
              args: ['tunnel', '--no-autoupdate', '--metrics', `0.0.0.0:${metricsPort}`, 'run'],
              env: [{ name: 'TUNNEL_TOKEN', valueFrom: { secretKeyRef: { name: tunnelObject, key: tokenKey } } }],
              ports: [{ name: 'metrics', containerPort: metricsPort }],
              readinessProbe: { httpGet: { path: '/ready', port: 'metrics' }, periodSeconds: 5 },
              resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsUser: 65532 },
            },
          ],
        },
      },
    },
  } satisfies V1Deployment
}
