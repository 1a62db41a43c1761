/**
 * Sentences with which several scripts fail: each becomes the message of the record (jobs.ts, `failureIn`). In a file
 * of their own, since the scripts import each other.
 */

/** The tools of the engine refused the stored files, or a part of them. */
export const unloaded = 'the backup could not be loaded'
/** The database server, not the object store. */
export const unanswered = 'the server did not answer'
export const untaken = 'the object store did not take the backup'
/** Found when the stored files are read back. */
export const storedOtherwise = 'what was stored is not what was sent'
