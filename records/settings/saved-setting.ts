/** Parses the annotation that a save wrote on the Secret of a platform setting; kubectl can write anything there. */
import { z } from 'zod'
import { annotations } from '../../kinds/meta/annotations.ts'
import { platformConfigSpec } from '../../kinds/platform/kind.ts'
import type { SavedSetting, Setting } from '../../kinds/platform/settings.ts'
import { actor } from '../../kinds/schema/fields.ts'

interface Annotated {
  metadata: { annotations?: Record<string, string> }
}

const { registry, cloudflareConnectionRef, cloudflareZoneID, githubAppRef } = platformConfigSpec.shape
const parts = {
  registry: z.strictObject({ registry }),
  'dns-provider': z.strictObject({ cloudflareConnectionRef, cloudflareZoneID }),
  githost: z.strictObject({ githubAppRef }),
} as const satisfies Record<Setting, z.ZodType>

/**
 * The wanted fields of the configuration; undefined for a hand-made Secret and for an unreadable annotation: the
 * configuration then stays as it is.
 */
export function savedSetting(setting: Setting, secret: Annotated | undefined): SavedSetting | undefined {
  const text = secret?.metadata.annotations?.[annotations.setting]
  if (text === undefined) return undefined
  try {
    return z.object({ turn: z.int().min(1), part: parts[setting], actor: actor.optional() }).parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Whether the annotation exists and cannot be parsed: the next save writes it anew. */
export const isUnreadable = (setting: Setting, secret: Annotated): boolean =>
  secret.metadata.annotations?.[annotations.setting] !== undefined && savedSetting(setting, secret) === undefined
