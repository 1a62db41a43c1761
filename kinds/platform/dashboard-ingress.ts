/** The Ingress of the dashboard in ingress mode, in front of its Service. */
import type { V1Ingress } from '@kubernetes/client-node'
import { labels, managedBySvc } from '../meta/annotations.ts'
import { systemNamespace } from '../meta/group.ts'

export const dashboardIngressName = 'svc-dashboard'

export interface DashboardService {
  name: string
  port: number
}

/** Parses `name` or `name:port` of a Service in svc-system; the default port is that of the api. Undefined for ''. */
export function dashboardServiceIn(text: string): DashboardService | undefined {
  const [name = '', port = '8085'] = text.split(':')
  return name === '' ? undefined : { name, port: Number(port) }
}

export function dashboardIngress(
  install: string,
  host: string,
  service: DashboardService,
  ingressClass: string,
  clusterIssuer: string,
) {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name: dashboardIngressName,
      namespace: systemNamespace,
      labels: { [labels.managedBy]: managedBySvc, [labels.owner]: install },
      annotations: { 'cert-manager.io/cluster-issuer': clusterIssuer },
    },
    spec: {
      ingressClassName: ingressClass,
      rules: [
        {
          host,
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: service.name, port: { number: service.port } } },
              },
            ],
          },
        },
      ],
      tls: [{ hosts: [host], secretName: `${dashboardIngressName}-tls` }],
    },
  } satisfies V1Ingress
}
