/**
 * The Pod Security level of a namespace: what Kubernetes enforces for all pods, and what svc asks of services. And how
 * the pods that svc itself makes run.
 */

const enforce = 'pod-security.kubernetes.io/enforce'
/** The level that svc holds services to one by one: Kubernetes judges all pods of a namespace alike. */
const ofServices = 'svc.dev/pod-security'

/** `restricted`: no service runs as root unless an admin lets it. `baseline`: the image decides. */
export const serviceLevels = ['restricted', 'baseline'] as const
export type ServiceLevel = (typeof serviceLevels)[number]

/**
 * What every environment lets in, and what its users are warned of. An administrator may enforce `restricted`; svc
 * never takes that back.
 */
export const podSecurityLabels: Readonly<Record<string, string>> = {
  [enforce]: 'baseline',
  'pod-security.kubernetes.io/warn': 'restricted',
  'pod-security.kubernetes.io/audit': 'restricted',
}

/** The label of a new environment. Older ones go without it: what runs there as root goes on with its next deploy. */
export const serviceLevelLabel = (level: ServiceLevel): Readonly<Record<string, string>> => ({ [ofServices]: level })

/** Whether a service runs as anything but root there; see docs/guides/confinement.md#never-root. */
export function refusesRoot(labels: Readonly<Record<string, string>> | undefined, runAsRoot: boolean): boolean {
  return labels?.[enforce] === 'restricted' || (labels?.[ofServices] === 'restricted' && !runAsRoot)
}

/** Of the pods of svc's own servers and Jobs: a user that is not root, with what a runtime allows by itself. */
export const nonRootPod = (user: number) => ({
  runAsNonRoot: true,
  runAsUser: user,
  runAsGroup: user,
  seccompProfile: { type: 'RuntimeDefault' },
})
