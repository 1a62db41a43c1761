/** What a status that was read means for whoever waits. */

export type Verdict = { readonly kind: 'waiting' } | { readonly kind: 'complete' } | { readonly kind: 'failed'; readonly reason: string }

export const failed = (reason: string): Verdict => ({ kind: 'failed', reason })

/**
 * A replica of the api that has not heard of the work yet may still tell of what was before. It hears within a
 * second, so a status that is as before for longer than this is the truth.
 */
export const staleMs = 10_000
