/**
 * What a pass applied of a service, so that a later write of another pass shows: one that was cut off may
 * still write what it decided before a newer one ended, on condition of what that one left as it was.
 */

import { annotations, labels } from '../meta/annotations.ts'

/** Each service has one object of these under its name, or none. */
export const appliedKinds = [
  'Deployment',
  'ServiceAccount',
  'Service',
  'Ingress',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
] as const

export type AppliedKind = (typeof appliedKinds)[number]

interface Head {
  metadata: { labels?: Record<string, string>; annotations?: Record<string, string> }
}

const none = '-'
/** Enough to see that two versions of one object differ. */
const digits = 8

/**
 * The digests that its own objects carry, `-` for those that are not there; edits by others do not change them. The
 * objects are in the order of `appliedKinds`.
 */
export function appliedText(uid: string, objects: readonly (Head | undefined)[]): string {
  return objects
    .map((object) => {
      const { labels: of, annotations: notes } = object?.metadata ?? {}
      return of?.[labels.owner] === uid ? (notes?.[annotations.applied] ?? none).slice(0, digits) : none
    })
    .join(' ')
}
