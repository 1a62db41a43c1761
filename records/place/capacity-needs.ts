/** How a writer of records asks whether the cluster has the capacity. */

export interface CapacityRequest {
  project: string
  /** Only copies in it count as those that the new ones replace; left out, all that carry the owner do. */
  namespace?: string | undefined
  tags: readonly string[]
  region?: string | undefined
  copies: number
  perCopy: { cpuMillis: number; memoryBytes: number }
}

export interface CapacityNeeds {
  /**
   * Throws Problem invalid_request when the cluster is short of capacity; `owner` is the uid of the record, once it has
   * one.
   */
  reserveCapacity: (owner: string, wanted: CapacityRequest, attempt: string) => Promise<void>
}
