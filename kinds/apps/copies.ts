/** How the copies of a service are, judged against its release: shared by the watch, the worker and the api. */

import { annotations } from '../meta/annotations.ts'
import type { PodView } from '../pods/trouble.ts'
import { type DeploymentView, type Health, healthOf } from './health.ts'
import { choiceKey, type NodeChoice } from '../placement/node-choice.ts'
import type { AppSpec } from './kind.ts'
import { wantedCopies } from './manifests.ts'

/** The release a Deployment or pod belongs to. */
export function releaseOf(object: { metadata: { annotations?: Record<string, string> } }): string | undefined {
  return object.metadata.annotations?.[annotations.release]
}

/**
 * The health of the attempt's release: a Deployment of another release counts as missing, since it has to be applied
 * again.
 */
export function copiesOf(
  attempt: string | undefined,
  deployment: DeploymentView | undefined,
  pods: readonly PodView[],
): Health {
  const current = deployment !== undefined && releaseOf(deployment) === attempt ? deployment : undefined
  return healthOf(current, pods, releaseOf)
}

/** Whether the copies were applied for other nodes than the project asks for now. */
export function isMisplaced(deployment: DeploymentView | undefined, wanted: NodeChoice): boolean {
  return (
    deployment !== undefined && (deployment.metadata.annotations?.[annotations.nodeChoice] ?? '') !== choiceKey(wanted)
  )
}

/** Kinds of objects that the spec in force and its host ask for and `has` does not find. */
export function missingKinds(
  spec: AppSpec,
  host: string,
  has: (kind: 'ServiceAccount' | 'Service' | 'Ingress' | 'HorizontalPodAutoscaler' | 'PodDisruptionBudget') => boolean,
): string[] {
  const wanted = [
    'ServiceAccount' as const,
    'Service' as const,
    ...(host === '' ? [] : ['Ingress' as const]),
    ...(spec.autoscaling === undefined ? [] : ['HorizontalPodAutoscaler' as const]),
    ...(wantedCopies(spec) >= 2 ? ['PodDisruptionBudget' as const] : []),
  ]
  return wanted.filter((kind) => !has(kind))
}
