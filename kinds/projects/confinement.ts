/**
 * The limits on everything in an environment: where its pods may not connect to, and how much of the cluster it may
 * use.
 */
import type { V1LimitRange, V1NetworkPolicy, V1ResourceQuota } from '@kubernetes/client-node'
import type { EnvironmentQuota } from '../pods/environment-quota.ts'
import { namespaceOf } from '../meta/namespaces.ts'
import type { Project } from './kind.ts'
import { environmentLabels } from './manifests.ts'

export const quotaName = 'svc-environment'

/** Addresses at which clouds serve the credentials of a node: link-local, and those of AWS over IPv6 and of Alibaba. */
const metadataAddresses = { v4: ['169.254.0.0/16', '100.100.100.200/32'], v6: ['fe80::/10', 'fd00:ec2::254/128'] }
const dns = [
  { protocol: 'UDP', port: 53 },
  { protocol: 'TCP', port: 53 },
]

function meta(project: Project, environment: string, name: string) {
  return {
    name,
    namespace: namespaceOf(project.metadata.name, environment),
    labels: environmentLabels(project, environment),
  }
}

/** Allows connections to everything but the metadata addresses of clouds. */
export function egressPolicy(project: Project, environment: string) {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: meta(project, environment, 'svc-egress'),
    spec: {
      podSelector: {},
      policyTypes: ['Egress'],
      egress: [
        // Some network plugins do not match pods by address.
        { to: [{ namespaceSelector: {} }] },
        {
          to: [
            { ipBlock: { cidr: '0.0.0.0/0', except: metadataAddresses.v4 } },
            { ipBlock: { cidr: '::/0', except: metadataAddresses.v6 } },
          ],
        },
        // Name servers of nodes and of some clouds have link-local addresses.
        { to: [{ ipBlock: { cidr: '169.254.0.0/16' } }], ports: dns },
      ],
    },
  } satisfies V1NetworkPolicy
}

/** The default requests of containers without any; those of svc have their own. */
export function limitRange(project: Project, environment: string) {
  return {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: meta(project, environment, quotaName),
    spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '100m', memory: '128Mi' } }] },
  } satisfies V1LimitRange
}

export function environmentQuota(project: Project, environment: string, hard: EnvironmentQuota) {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: meta(project, environment, quotaName),
    spec: { hard: { ...hard } },
  } satisfies V1ResourceQuota
}
