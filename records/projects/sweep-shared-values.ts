/** Removes values of shared secret variables that no project refers to any more. */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isConflict, isNotFound } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isMadeFor, secretPurposes } from '../../kinds/secrets/named-secret.ts'
import type { ProjectNeeds } from './edit-project.ts'

type Secret = Sent<V1Secret>

/**
 * Removes values that no variable of the project refers to: those of saves and deletions that a crash interrupted, and
 * of archived environments. Returns how many. A Secret written at or after `before` (milliseconds since 1970) is
 * skipped, since a save may be between its two writes; so is one that changes meanwhile.
 */
export async function sweepSharedValues(
  needs: ProjectNeeds & { client: ClusterClient },
  before: number,
): Promise<number> {
  const { items } = await needs.client.list<Secret>(coreTypes.secret, {
    namespace: systemNamespace,
    labelSelector: `${labels.purpose}=${secretPurposes.shared}`,
  })
  let swept = 0
  for (const secret of items) {
    if (Date.parse(secret.metadata.annotations?.[annotations.writtenAt] ?? '') >= before) continue
    const project = await needs.projects.readLive(secret.metadata.labels?.[labels.project] ?? '')
    // The removal of a project deletes its own Secret; a Secret of another project, or of an earlier one with this ID,
    // is not compared with this record.
    if (project === undefined || !isMadeFor(project.metadata.uid, secretPurposes.shared)(secret)) continue
    const used = new Set(project.spec.sharedVariables.map(({ secretRef }) => secretRef?.key))
    const kept = Object.entries(secret.data ?? {}).filter(([key]) => used.has(key))
    const unused = Object.keys(secret.data ?? {}).length - kept.length
    if (unused > 0 && (await replaced(needs.client, { ...secret, data: Object.fromEntries(kept) }))) swept += unused
  }
  return swept
}

async function replaced(client: ClusterClient, secret: Secret): Promise<boolean> {
  try {
    await client.replace(coreTypes.secret, secret)
    return true
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false
    throw error
  }
}
