/** Which cluster a start uses: the one asked for, the one of last time, or the best this machine allows. */
import type { ClusterKind } from './options.ts'

export interface ChosenCluster {
  readonly kind: ClusterKind
  /** One sentence for the user when the choice is not what they might expect. */
  readonly note?: string
}

/**
 * Real nodes are the default. A directory keeps the kind it began with, or what was deployed would seem lost. Throws a
 * sentence when a node is asked for by name and cannot be had.
 */
export async function chooseCluster(
  asked: ClusterKind | undefined,
  last: ClusterKind | undefined,
): Promise<ChosenCluster> {
  const wanted = asked ?? last ?? 'node'
  if (wanted !== 'node') return { kind: wanted }
  const { canHaveNode } = await import('../node/can-have.ts')
  const can = canHaveNode()
  if (can.ok) return { kind: 'node' }
  if (asked === 'node' || last === 'node')
    throw new Error(`a real node cannot be had: ${can.why}; --cluster simulated does without`)
  return { kind: 'simulated', note: `pods are simulated, nothing really runs in them: ${can.why}` }
}
