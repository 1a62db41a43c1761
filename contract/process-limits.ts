/**
 * Limits and durations of svc's processes that no field of a request names, and that a caller or an operator meets all
 * the same (docs/reference/limits.md#processes).
 */

/** The watch looks at a record at once, and then at most once in this time while events of it keep coming. */
export const watchCoalesceMs = 250
/** A cache whose watch is broken for longer is shown as stale; a broken watch is opened again within seconds. */
export const staleCacheMs = 15_000
/** One call to the API server. */
export const clusterCallMs = 15_000
/** A client waits so long for an answer: longer than the slowest operation, a call of a function. */
export const clientAnswerMs = 150_000
/** A process that stops cuts off requests that still run after this time. */
export const stopGraceMs = 4_000
/**
 * A connection without a request is kept so long: longer than load balancers keep theirs, so that they close it. One
 * that a server closes may meet a request on its way, which then fails.
 */
export const idleConnectionMs = 75_000
/** An edit of secret variables that was begun and not ended counts as abandoned; one write takes `clusterCallMs`. */
export const openEditMs = 60_000

/** A part of the logs of one copy in an answer; characters of one line, beyond which it is cut. */
export const logAnswerBytes = 2 * 1024 * 1024
export const logLineMax = 16 * 1024

/** A push with more commits, or more changed files, counts as one whose files are not known: every pattern matches. */
export const pushedCommitsMax = 2048
export const pushedPathsMax = 1000

/** Runs of each schedule that are kept. */
export const functionRunsKept = 10
/** Requests at the same time for which a service that may sleep gets a further copy; the default of the add-on. */
export const sleepRequestsPerCopy = 100

/** One Job that backs up, restores or proves; after that it has failed. */
export const backupJobSeconds = 6 * 3600
/** A query waits so long for the connection to its database. */
export const queryConnectMs = 10_000
