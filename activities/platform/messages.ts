/** Inputs of the activities of the platform's configuration; durations in milliseconds. */

export interface DnsInput {
  recheckMs: number
  /** Time after which a pass stops; the next one goes on. */
  passMs: number
}

export interface DomainInput {
  recheckMs: number
  pendingMs: number
  slowMs: number
  tryMs: number
}
