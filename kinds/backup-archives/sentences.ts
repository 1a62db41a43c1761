/**
 * Ends of the Jobs that several scripts say: each is the message of the record (jobs.ts, `failureIn`). Apart from the
 * scripts, which import each other.
 */

/** The tools of the engine did not take what was stored, or not all of it. */
export const unloaded = 'the backup could not be loaded'
/** The server of the database, not the object store. */
export const unanswered = 'the server did not answer'
export const untaken = 'the object store did not take the backup'
/** Found by reading it back. */
export const storedOtherwise = 'what was stored is not what was sent'
