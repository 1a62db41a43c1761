/**
 * Upper bounds of texts and lists that the interface has no limit for (`contract/limits.ts`): generous, and what keeps
 * the cost of the cluster's own rules small.
 */

export const urlMax = 2048
export const pathMax = 1024
export const imageMax = 1024
export const gitNameMax = 255
/** One value; the record as a whole stays under `recordSpecBytes`. */
export const textMax = 64 * 1024
export const variablesMax = 500
export const environmentsMax = 100
export const pullRequestsMax = 200
export const conditionsMax = 16
/** Of the messages that svc writes; the cluster takes more. */
export const messageMax = 2_000
export const shortListMax = 64
export const retentionHoursMax = 24 * 365
