/** What the caches have of a service, in the form that the rules over it take (kinds/apps/judge.ts). */

import { type AppliedKind, appliedKinds, appliedText } from '../../kinds/apps/applied.ts'
import { type PartKind, partKinds } from '../../kinds/apps/health.ts'
import type { HostRules } from '../../kinds/apps/hosts.ts'
import type { Snapshot } from '../../kinds/apps/judge.ts'
import { volumeClaimName } from '../../kinds/apps/names.ts'
import type { ActivityNeeds, ChildCaches } from './needs.ts'

/** Which cache holds the objects of a kind. */
export const cacheOf = {
  Deployment: 'deployments',
  ServiceAccount: 'serviceAccounts',
  Service: 'services',
  Ingress: 'ingresses',
  HorizontalPodAutoscaler: 'autoscalers',
  PodDisruptionBudget: 'disruptionBudgets',
  PersistentVolumeClaim: 'volumeClaims',
} as const satisfies Record<AppliedKind | PartKind, keyof ChildCaches>

/** What the caches have of what was made for a service. */
export function madeFor(
  children: ChildCaches,
  { name, uid = '' }: { name: string; uid?: string },
  namespace: string,
): Pick<Snapshot, 'parts' | 'found'> {
  const claim = volumeClaimName(name)
  const find = (kind: keyof typeof cacheOf, of = name) => children[cacheOf[kind]].get(of, namespace)
  return {
    parts: new Set(
      partKinds.filter((kind) => find(kind, kind === 'PersistentVolumeClaim' ? claim : name) !== undefined),
    ),
    found: appliedText(
      uid,
      appliedKinds.map((kind) => find(kind)),
    ),
  }
}

/** With the services that ask for a host by the cache. */
export const hostRules = ({ apps, placement }: ActivityNeeds): HostRules => ({
  auto: placement.autoHosts,
  reserved: placement.reservedHosts ?? [],
  claimants: (key) => apps.cache.by('host', key),
})
