/** Which cluster a start uses: the one asked for, the one of last time, or the best this machine allows. */
import type { ClusterKind } from './options.ts'

export interface ChosenCluster {
  readonly kind: ClusterKind
  /** One sentence for the user when the choice is not what they might expect. */
  readonly note?: string
}

/**
 * Real nodes are the default. A directory keeps the kind it was last started with unless another is asked for: what was
 * deployed on the former one stays there, and the note says so. Throws a sentence when a node is asked for by name and
 * cannot be had.
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
