/** Who asked when for a database or bucket to be deployed: annotation `svc.dev/attempt` of the kinds that keep no deployment records. */

import { annotations } from './annotations.ts'
import type { ResourceMeta } from './resource.ts'

export interface DeployRequest {
  /** Minted once per request, so that a write whose answer was lost is recognised by it. */
  id: string
  /** User name or token id. */
  actor: string
  requestId: string
  /** When it was accepted, RFC 3339. */
  at: string
}

/** The request that the record carries; undefined when there is none or somebody wrote nonsense into the annotation. */
export function deployRequestOf({ metadata }: { metadata: ResourceMeta }): DeployRequest | undefined {
  const text = metadata.annotations?.[annotations.attempt]
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isDeployRequest(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isDeployRequest(value: unknown): value is DeployRequest {
  if (typeof value !== 'object' || value === null) return false
  const fields: Record<string, unknown> = { ...value }
  return ['id', 'actor', 'requestId', 'at'].every((name) => typeof fields[name] === 'string')
}
