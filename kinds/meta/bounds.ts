/**
 * Upper bounds of texts and lists for which the interface has no limit (`contract/limits.ts`): generous, and small
 * enough that the validation rules of the CRDs stay within the API server's cost budget.
 */

export const urlMax = 2048
export const pathMax = 1024
export const imageMax = 1024
export const gitNameMax = 255
/** Characters of a note of a deployment record, such as its title. */
export const noteMax = 1024
/** Characters of one value; the record as a whole stays under `recordSpecBytes`. */
export const textMax = 64 * 1024
export const variablesMax = 500
export const environmentsMax = 100
export const pullRequestsMax = 200
export const conditionsMax = 16
/** Characters of a condition's message that svc writes; the CRDs accept longer ones. */
export const messageMax = 2_000
export const shortListMax = 64
export const retentionHoursMax = 24 * 365
