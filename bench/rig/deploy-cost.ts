/** What one deploy asks of the cluster and of Temporal. */
import { type AuditedRequest, isRead } from './audit-log.ts'
import { longestChain, type Span, within } from './request-chain.ts'
import { median } from './statistics.ts'

/** From the request to the answer that says ready; `atRest`: until when the work after the answer is counted, too. */
export interface DeploySpan extends Span {
  readonly atRest: number
}

export interface TemporalCost {
  readonly actions: number
  /** Writes of workflow state to Temporal's database. */
  readonly writes: number
}

/** Means over the deploys, but the median of the chains. */
export interface RequestCost {
  readonly reads: number
  readonly writes: number
  /** Requests one after the other between the request and the answer. */
  readonly inARow: number
}

export function requestCost(requests: readonly AuditedRequest[], deploys: readonly DeploySpan[]): RequestCost {
  const all = deploys.flatMap(({ began, atRest }) => within(requests, { began, ended: atRest }))
  const reads = all.filter(isRead).length
  return {
    reads: reads / deploys.length,
    writes: (all.length - reads) / deploys.length,
    inARow: median(deploys.map((deploy) => longestChain(within(requests, deploy)))),
  }
}

/** @param requests undefined where the cluster keeps no audit log */
export function describeDeployCost(
  requests: readonly AuditedRequest[] | undefined,
  deploys: readonly DeploySpan[],
  temporal: TemporalCost,
): string {
  const ofTemporal = `${temporal.actions.toFixed(1)} Temporal actions, ${temporal.writes.toFixed(1)} writes of workflow state`
  if (requests === undefined) return `per deploy ${ofTemporal}`
  const { reads, writes, inARow } = requestCost(requests, deploys)
  return `per deploy ${reads.toFixed(1)} reads and ${writes.toFixed(1)} writes of svc, ${inARow} in a row before the answer, ${ofTemporal}`
}
