/** The cluster of a start: the requested one, the one of the last start, or the best that this machine allows. */
import type { ClusterKind } from './options.ts'

export interface ChosenCluster {
  readonly kind: ClusterKind
  /** One sentence for the user when the choice may be unexpected. */
  readonly note?: string
}

/**
 * Real nodes are the default. A directory keeps its last kind of cluster unless another one is requested: deployed
 * services stay on the former cluster, and the note explains that. Throws a sentence when a node is requested
 * explicitly and is impossible.
 */
export async function chooseCluster(
  asked: ClusterKind | undefined,
  last: ClusterKind | undefined,
): Promise<ChosenCluster> {
  const wanted = asked ?? last ?? 'node'
  const changed =
    last === undefined || last === wanted
      ? {}
      : { note: `this directory was last used with --cluster ${last}: what was deployed then is there, and not here` }
  if (wanted !== 'node') return { kind: wanted, ...changed }
  const { canHaveNode } = await import('../node/can-have.ts')
  const can = canHaveNode()
  if (can.ok) return { kind: 'node', ...changed }
  if (asked === 'node' || last === 'node')
    throw new Error(`a real node cannot be had: ${can.why}; --cluster simulated does without`)
  return { kind: 'simulated', note: `pods are simulated, nothing really runs in them: ${can.why}` }
}
