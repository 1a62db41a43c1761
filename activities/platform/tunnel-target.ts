/**
 * `spec.tunnelCNAMETarget`: written while the platform manages the tunnel, and cleared when it no longer does
 * (docs/reference/platform.md#configuration).
 */
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { tunnelTarget } from '../../kinds/platform/tunnel.ts'
import type { PlatformNeeds } from './needs.ts'
import { ConfigChanged } from './write-condition.ts'

/** Writes the name of this tunnel; resolves with the configuration. Throws ConfigChanged if it has changed since. */
export async function setTunnelTarget(needs: PlatformNeeds, seen: PlatformConfig, id: string): Promise<PlatformConfig> {
  const target = tunnelTarget(id)
  if (seen.spec.tunnelCNAMETarget === target) return seen
  return edited(needs, seen, (spec) => ({ ...spec, tunnelCNAMETarget: target }))
}

/** Removes the name of svc's own tunnel; a target that an admin wrote stays. */
export async function dropTunnelTarget(needs: PlatformNeeds, seen: PlatformConfig): Promise<PlatformConfig> {
  const id = seen.status?.cloudflareTunnelID
  if (id === undefined || seen.spec.tunnelCNAMETarget !== tunnelTarget(id)) return seen
  return edited(needs, seen, ({ tunnelCNAMETarget: _, ...spec }) => spec)
}

async function edited(
  { config }: PlatformNeeds,
  seen: PlatformConfig,
  change: (spec: PlatformConfig['spec']) => PlatformConfig['spec'],
): Promise<PlatformConfig> {
  const saved = await config.edit(platformConfigName, (current) => {
    if (current.metadata.uid !== seen.metadata.uid || current.metadata.generation !== seen.metadata.generation)
      throw new ConfigChanged()
    return { ...current, spec: change(current.spec) }
  })
  if (saved === undefined) throw new ConfigChanged()
  return saved
}
