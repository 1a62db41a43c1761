/** The frozen secrets that the record of a deploy needs. */

import { annotations } from '../meta/annotations.ts'
import type { Deployment } from './kind.ts'

/** Names of Secrets: its own, and the earlier one that a deploy with unchanged secrets goes on with. */
export function frozenWith({ metadata: { name, annotations: notes } }: Pick<Deployment, 'metadata'>): string[] {
  const release = notes?.[annotations.release]
  return release === undefined ? [name] : [...new Set([name, release])]
}
