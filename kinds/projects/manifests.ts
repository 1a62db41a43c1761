/** The objects of a project's environments on the cluster. */
import type { V1Namespace } from '@kubernetes/client-node'
import { labels, managedBySvc } from '../meta/annotations.ts'
import { namespaceOf } from '../meta/namespaces.ts'
import { podSecurityLabels, type ServiceLevel, serviceLevelLabel } from '../pods/security.ts'
import type { Project } from './kind.ts'

/**
 * Namespaces whose pods may always connect: the ingress controllers, the interceptor that holds requests of sleeping
 * services, and the cluster's own services.
 */
const alwaysLetIn = ['kube-system', 'traefik', 'keda', 'svc-system']

export function environmentLabels(project: Project, environment: string): Record<string, string> {
  return {
    [labels.managedBy]: managedBySvc,
    [labels.project]: project.metadata.name,
    [labels.environment]: environment,
    [labels.owner]: project.metadata.uid ?? '',
  }
}

export function environmentNamespace(project: Project, environment: string, level: ServiceLevel) {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: namespaceOf(project.metadata.name, environment),
      labels: { ...environmentLabels(project, environment), ...podSecurityLabels, ...serviceLevelLabel(level) },
    },
  } satisfies V1Namespace
}

export const isolationPolicyName = 'svc-project-isolation'

/**
 * A NetworkPolicy that admits pods of the project itself, of the allowed projects and of `alwaysLetIn`; undefined
 * without isolation.
 */
export function isolationPolicy(project: Project, environment: string) {
  const { isolation, allowFromProjects } = project.spec.network
  if (isolation !== 'Project') return undefined
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: isolationPolicyName,
      namespace: namespaceOf(project.metadata.name, environment),
      labels: environmentLabels(project, environment),
    },
    spec: {
      podSelector: {},
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [
            {
              namespaceSelector: {
                matchExpressions: [
                  { key: labels.project, operator: 'In', values: [project.metadata.name, ...allowFromProjects] },
                ],
              },
            },
            {
              namespaceSelector: {
                matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: alwaysLetIn }],
              },
            },
          ],
        },
      ],
    },
  }
}
