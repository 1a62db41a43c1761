/** How many requests lie one after the other. */

/** Milliseconds since 1970. */
export interface Span {
  readonly began: number
  readonly ended: number
}

/** Those that began and ended within the span. */
export const within = <T extends Span>(requests: readonly T[], { began, ended }: Span): T[] =>
  requests.filter((request) => request.began >= began && request.ended <= ended)

/**
 * The length of the longest chain in which each request begins when the one before it has ended: an upper bound of the
 * requests that wait for each other, since two may follow each other by chance.
 */
export function longestChain(requests: readonly Span[]): number {
  let length = 0
  let end = Number.NEGATIVE_INFINITY
  // Taking the one that ends first leaves the most capacity for the rest.
  for (const { began, ended } of requests.toSorted((a, b) => a.ended - b.ended)) {
    if (began < end) continue
    length += 1
    end = ended
  }
  return length
}
