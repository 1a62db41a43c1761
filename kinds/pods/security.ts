/** The Pod Security level of a namespace, by the labels that Kubernetes knows. */

const enforce = 'pod-security.kubernetes.io/enforce'

/**
 * What a new environment lets in, and what its users are warned of. An administrator may enforce `restricted`; svc
 * never takes that back.
 */
export const podSecurityLabels: Readonly<Record<string, string>> = {
  [enforce]: 'baseline',
  'pod-security.kubernetes.io/warn': 'restricted',
  'pod-security.kubernetes.io/audit': 'restricted',
}

/** Undefined where none is enforced. */
export function podSecurityLevel(labels: Readonly<Record<string, string>> | undefined): string | undefined {
  return labels?.[enforce]
}
