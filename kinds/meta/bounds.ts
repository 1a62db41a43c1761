/**
 * Upper bounds of texts and lists that have no limit of their own: generous, and what keeps the cost of the cluster's
 * own rules small.
 */

/** An RFC 1123 subdomain, the longest name an object may have. */
export const objectNameMax = 253
export const hostMax = 253
export const urlMax = 2048
export const pathMax = 1024
export const imageMax = 1024
export const gitNameMax = 255
export const variableNameMax = 253
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
export const retentionDaysMax = 3650
