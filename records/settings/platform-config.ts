/** The record of platform settings: read live, created by the first save, edited by conditional writes. */
import type { ClusterClient } from '../../cluster/client.ts'
import { onConflict, perRequest } from '../store/retry.ts'
import { refusals, refuse } from '../../contract/problem.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { type PlatformConfig, platformConfigSpec } from '../../kinds/platform/kind.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { refuseInvalid } from '../store/refuse-invalid.ts'

export interface ConfigNeeds {
  client: ClusterClient
  /** Puts the record into the cache of this process, so that the writer reads its own write. */
  keepConfig?: (config: PlatformConfig) => void
}

const type = resourceTypes.platformConfig

export async function readConfig({ client }: Pick<ConfigNeeds, 'client'>): Promise<PlatformConfig | undefined> {
  return client.get<PlatformConfig>({ type, namespace: systemNamespace, name: platformConfigName })
}

/**
 * One conditional write, decided again on the newest record after a conflict; the first save of a setting creates the
 * record (docs/reference/platform.md#configuration). Nothing is written when nothing changes. Throws Problem
 * invalid_request when `ifMatch` is another version.
 */
export async function editConfig(
  needs: ConfigNeeds,
  change: (config: PlatformConfig) => PlatformConfig,
  ifMatch?: string,
): Promise<PlatformConfig> {
  const decide = async (attempt: number) => {
    const known = await readConfig(needs)
    const wanted = change(known ?? newConfig())
    const same =
      known !== undefined && canonical([wanted.spec, wanted.metadata]) === canonical([known.spec, known.metadata])
    // At a later attempt, nothing to write means that the earlier write succeeded.
    if (attempt === 1 || !same) refuseOtherVersion(known, ifMatch)
    return { known, wanted, same }
  }
  const saved = await onConflict(perRequest, decide, async ({ known, wanted, same }) =>
    same && known !== undefined ? known : write(needs.client, known, wanted).catch(refuseInvalid),
  )
  needs.keepConfig?.(saved)
  return saved
}

/** Throws Problem invalid_request, with the same message as for other records. */
export function refuseOtherVersion(config: PlatformConfig | undefined, ifMatch: string | undefined): void {
  if (ifMatch !== undefined && config?.metadata.resourceVersion !== ifMatch) throw refuse(refusals.changedMeanwhile)
}

async function write(
  client: ClusterClient,
  known: PlatformConfig | undefined,
  wanted: PlatformConfig,
): Promise<PlatformConfig> {
  return known === undefined ? client.create(type, wanted) : client.replace(type, wanted)
}

function newConfig(): PlatformConfig {
  return {
    apiVersion,
    kind: type.kind,
    metadata: { name: platformConfigName, namespace: systemNamespace, labels: { [labels.managedBy]: managedBySvc } },
    spec: platformConfigSpec.parse({}),
  }
}
