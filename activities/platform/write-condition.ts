/** Writes the verdict of a pass as a condition, unless the configuration has changed since it was read. */
import { onConflict, perActivity } from '../../records/store/retry.ts'
import { conditionOf } from '../../kinds/meta/conditions.ts'
import { digest } from '../../kinds/meta/digest.ts'
import type { SettingCondition, SettingVerdict } from '../../kinds/platform/conditions.ts'
import type { PlatformConfig, PlatformConfigStatus } from '../../kinds/platform/kind.ts'
import { platformConfigName, turnOf } from '../../kinds/platform/settings.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { recordEvent } from '../kube/event.ts'
import { withCondition, writeStatus } from '../kube/write-status.ts'
import type { PlatformNeeds } from './needs.ts'

/** The configuration changed meanwhile: the caller starts again with the new one. */
export class ConfigChanged extends Error {
  constructor() {
    super('the configuration changed meanwhile')
    this.name = 'ConfigChanged'
  }
}

/**
 * One conditional write, with an Event for each new verdict; without a verdict the condition is removed. `change` has
 * further sections of the status; undefined removes one. Throws ConfigChanged if the live configuration asks for
 * something else than `seen`.
 */
export async function writeCondition<Type extends SettingCondition>(
  needs: PlatformNeeds,
  seen: PlatformConfig,
  type: Type,
  verdict: SettingVerdict<NoInfer<Type>> | undefined,
  change: { [Section in keyof PlatformConfigStatus]?: PlatformConfigStatus[Section] | undefined } = {},
): Promise<PlatformConfig> {
  const read = () => needs.config.readLive(platformConfigName)
  return onConflict(perActivity, read, async (live) => {
    if (live === undefined || configKey(live) !== configKey(seen)) throw new ConfigChanged()
    const at = needs.now()
    const before = conditionOf(live.status?.conditions, type)
    if (verdict !== undefined && (before?.reason !== verdict.reason || before.message !== verdict.message)) {
      const occurrence = digest([
        type,
        live.metadata.generation,
        verdict.message,
        before?.reason,
        before?.lastTransitionTime,
      ])
      await recordEvent(
        needs.client,
        live,
        { type: verdict.ready ? 'Normal' : 'Warning', reason: verdict.reason, message: verdict.message, occurrence },
        at,
      )
    }
    const others = (live.status?.conditions ?? []).filter((condition) => condition.type !== type)
    const conditions = verdict === undefined ? others : withCondition(type, live, verdict, at)
    const sections = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value ?? null]))
    return writeStatus(needs.client, needs.config, resourceTypes.platformConfig, live, { conditions, ...sections })
  })
}

const configKey = (config: PlatformConfig): string =>
  `${config.metadata.uid ?? ''} ${config.metadata.generation ?? 0} ${turnOf(config, 'dns-provider')}`
