/**
 * Decides whether an object that this process wrote belongs to a selection, as far as that can be known without the API
 * server.
 */
import type { Selection } from '../objects/cluster-client.ts'
import { parseLabelSelector } from './label-selector.ts'
import type { KubeObject } from '../objects/object.ts'

/** `unknown`: a field selector that only the API server can evaluate. */
export type Belongs = 'yes' | 'no' | 'unknown'

export function belongsTo({ namespace, labelSelector, fieldSelector }: Selection): (object: KubeObject) => Belongs {
  const matchesLabels = parseLabelSelector(labelSelector)
  const named = /^metadata\.name==?([^=,!]+)$/.exec(fieldSelector ?? '')?.[1]
  return ({ metadata }) => {
    if (namespace !== undefined && metadata.namespace !== namespace) return 'no'
    if (!matchesLabels(metadata.labels)) return 'no'
    if (fieldSelector === undefined) return 'yes'
    if (named === undefined) return 'unknown'
    return metadata.name === named ? 'yes' : 'no'
  }
}
