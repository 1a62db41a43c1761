/** The whole spec that a deployment deployed, kept beside its record so that it can be put back as it was. */

import { annotations } from '../annotations.ts'
import type { AppSpec } from './kind.ts'

/** Undefined for a record that somebody else made or whose annotation is unreadable. */
export function releaseSpecOf({ metadata }: { metadata: { annotations?: Record<string, string> } }): AppSpec | undefined {
  const text = metadata.annotations?.[annotations.releaseSpec]
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as AppSpec // written by us alone from a validated spec
  } catch {
    return undefined
  }
}
