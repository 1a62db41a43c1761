/** Ends of the Jobs that more than one script says: each is the message of the record (jobs.ts, `failureIn`). */

export const unloaded = 'the backup could not be loaded'
export const unanswered = 'the server did not answer'
