/**
 * The Pod Security level of a namespace: what Kubernetes enforces for all pods, and what svc enforces for services; and
 * the security context of the pods that svc itself makes.
 */

const enforce = 'pod-security.kubernetes.io/enforce'
/**
 * The level that svc enforces for services one by one, since Kubernetes can only judge all pods of a namespace alike.
 */
const ofServices = 'svc.dev/pod-security'

/** `restricted`: no service runs as root unless an admin allows it. `baseline`: the image decides. */
export const serviceLevels = ['restricted', 'baseline'] as const
export type ServiceLevel = (typeof serviceLevels)[number]

/**
 * The level that every environment enforces, and the one that its users are warned about. An administrator may enforce
 * `restricted`; svc never lowers that again.
 */
export const podSecurityLabels: Readonly<Record<string, string>> = {
  [enforce]: 'baseline',
  'pod-security.kubernetes.io/warn': 'restricted',
  'pod-security.kubernetes.io/audit': 'restricted',
}

/**
 * The label of a new environment. Older ones lack it, so that services which run there as root still do after their
 * next deploy.
 */
export const serviceLevelLabel = (level: ServiceLevel): Readonly<Record<string, string>> => ({ [ofServices]: level })

/**
 * Whether a service must not run as root in a namespace with these labels; see docs/guides/confinement.md#never-root.
 */
export function refusesRoot(labels: Readonly<Record<string, string>> | undefined, runAsRoot: boolean): boolean {
  return labels?.[enforce] === 'restricted' || (labels?.[ofServices] === 'restricted' && !runAsRoot)
}

/** The pods of svc's own servers and Jobs: a user that is not root, and the runtime's default seccomp profile. */
export const nonRootPod = (user: number) => ({
  runAsNonRoot: true,
  runAsUser: user,
  runAsGroup: user,
  seccompProfile: { type: 'RuntimeDefault' },
})
