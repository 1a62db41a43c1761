/** How a writer of records reserves capacity. */

export interface CapacityRequest {
  project: string
  /** Only copies in this namespace count as replaced by the new ones; if left out, all copies of the owner do. */
  namespace?: string | undefined
  tags: readonly string[]
  region?: string | undefined
  copies: number
  perCopy: { cpuMillis: number; memoryBytes: number }
}

export interface CapacityNeeds {
  /** Throws Problem invalid_request when the cluster is short of capacity; `owner` is the uid of the record. */
  reserveCapacity: (owner: string, wanted: CapacityRequest, attempt: string) => Promise<void>
}
