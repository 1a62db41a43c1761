/** Inputs of the activities of the platform's configuration; durations in milliseconds. */

export interface DnsInput {
  recheckMs: number
  /** A pass stops here and goes on in the next one. */
  passMs: number
}

export interface DomainInput {
  recheckMs: number
  pendingMs: number
  slowMs: number
  tryMs: number
}
