/** What of a database or bucket is saved, what is deployed and what is in force: pure functions of the record (spec, Draft and deploy model). */

import { annotations } from './annotations.ts'
import { canonical } from './digest.ts'
import type { DeployRequest } from './deploy-request.ts'
import type { Resource, ResourceMeta } from './resource.ts'

/** A spec that a deploy call puts in force. */
export interface Deployable {
  deploy: { enabled: boolean }
}

/** The first spec with the live settings of the second: what "applies immediately" means for a kind. */
export type WithLive<Spec> = (base: Spec, live: Spec) => Spec

/** `created` for what was never deployed, `settings` for edits since; empty when all that is saved is deployed. */
export function undeployedWords({ metadata }: { metadata: ResourceMeta }): string[] {
  const words = (metadata.annotations?.[annotations.pendingChanges] ?? '').split(',').map((word) => word.trim())
  return ['created', 'settings'].filter((word) => words.includes(word))
}

/** The spec that should run: undefined for a draft, the last deployed one with today's live settings while edits are pending. */
export function specInForce<Spec extends Deployable>(record: Resource<Spec, unknown>, withLive: WithLive<Spec>): Spec | undefined {
  if (!record.spec.deploy.enabled) return undefined
  const deployed = deployedSpec(record)
  return deployed === undefined || undeployedWords(record).length === 0 ? record.spec : withLive(deployed, record.spec)
}

/**
 * The record with another spec: the pending word is found anew, so that an edit that brings everything back clears it, and
 * the first edit after a deploy pins the spec that runs as last deployed.
 */
export function withDraft<Spec extends Deployable, Record extends Resource<Spec, unknown>>(record: Record, spec: Spec, withLive: WithLive<Spec>): Record {
  const { [annotations.pendingChanges]: before, [annotations.lastDeployed]: pinned, ...others } = record.metadata.annotations ?? {}
  const { enabled } = record.spec.deploy
  const deployed = before === undefined ? record.spec : (deployedSpec<Spec>(record) ?? record.spec)
  const word = !enabled ? 'created' : canonical(withLive(deployed, spec)) === canonical(spec) ? undefined : 'settings'
  const kept = enabled && word !== undefined && (before === undefined || pinned === undefined) ? JSON.stringify(record.spec) : pinned
  const notes = {
    ...others,
    ...(kept === undefined ? {} : { [annotations.lastDeployed]: kept }),
    ...(word === undefined ? {} : { [annotations.pendingChanges]: word }),
  }
  return { ...record, metadata: { ...record.metadata, annotations: notes }, spec }
}

/** The record with all that is saved deployed (spec, Draft and deploy model 4). */
export function withDeploy<Spec extends Deployable, Record extends Resource<Spec, unknown>>(record: Record, request: DeployRequest): Record {
  const { [annotations.pendingChanges]: _, ...others } = record.metadata.annotations ?? {}
  const spec = { ...record.spec, deploy: { ...record.spec.deploy, enabled: true } }
  const notes = { ...others, [annotations.lastDeployed]: JSON.stringify(spec), [annotations.attempt]: JSON.stringify(request) }
  return { ...record, metadata: { ...record.metadata, annotations: notes }, spec }
}

function deployedSpec<Spec>({ metadata }: Resource<Spec, unknown>): Spec | undefined {
  const text = metadata.annotations?.[annotations.lastDeployed]
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as Spec // written by us alone from a validated spec
  } catch {
    return undefined
  }
}
