/** What a save noted on the Secret of a platform setting, read with care: kubectl can write anything there. */
import { z } from 'zod'
import { annotations } from '../../kinds/meta/annotations.ts'
import { platformConfigSpec } from '../../kinds/platform/kind.ts'
import type { SavedSetting, Setting } from '../../kinds/platform/settings.ts'

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
 * What the Secret asks for; undefined for one that was made by hand, and for one that cannot be read: the configuration
 * stays as it is.
 */
export function savedSetting(setting: Setting, secret: Annotated | undefined): SavedSetting | undefined {
  const text = secret?.metadata.annotations?.[annotations.setting]
  if (text === undefined) return undefined
  try {
    return z.object({ turn: z.int().min(1), part: parts[setting] }).parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Whether the note is there and says nothing: the next save writes it anew. */
export const isUnreadable = (setting: Setting, secret: Annotated): boolean =>
  secret.metadata.annotations?.[annotations.setting] !== undefined && savedSetting(setting, secret) === undefined
