/**
 * Platform settings that consist of a Secret and fields of the configuration: which fields belong to a setting, and
 * which of two saves is the newer one.
 */
import { annotations } from '../meta/annotations.ts'
import { withLiveEditor } from '../provision/edited-by.ts'
import type { PlatformConfig, PlatformConfigSpec } from './kind.ts'

/** The name of the one record (docs/reference/platform.md#configuration). */
export const platformConfigName = 'platform'
/** The name of the tunnel's connector on the cluster: its Deployment, and its Secret. */
export const tunnelObject = 'svc-tunnel'

/** The Secret of each setting (docs/reference/platform.md#configuration). */
export const settingSecrets = {
  registry: 'platform-registry',
  'dns-provider': 'platform-dns-provider',
  githost: 'platform-githost',
} as const

export type Setting = keyof typeof settingSecrets

/** The fields of the git-host app, by their names for callers, and the keys of its Secret. */
export const gitHostKeys = {
  appId: 'app_id',
  clientId: 'client_id',
  clientSecret: 'client_secret',
  slug: 'slug',
  privateKey: 'private_key',
  webhookSecret: 'webhook_secret',
} as const

/** The identity of svc at the git host: the values of the Secret that `githubAppRef` names. */
export type GitHostApp = { readonly [Name in keyof typeof gitHostKeys]: string }

const fields = {
  registry: ['registry'],
  'dns-provider': ['cloudflareConnectionRef', 'cloudflareZoneID'],
  githost: ['githubAppRef'],
} as const satisfies Record<Setting, readonly (keyof PlatformConfigSpec)[]>

/**
 * The wanted fields of the configuration. A save writes them on the Secret, together with the values, before the
 * configuration follows; after a crash in between, the next process has all it needs. Turns only grow.
 */
export interface SavedSetting {
  turn: number
  /** The setting's fields; empty once it was cleared. */
  part: Partial<PlatformConfigSpec>
  /** Who asked for it, where that is known. */
  actor?: string | undefined
}

export const isCleared = ({ part }: SavedSetting): boolean => Object.keys(part).length === 0

export const isSet = (config: PlatformConfig | undefined, setting: Setting): boolean =>
  fields[setting].some((field) => config?.spec[field] !== undefined)

/** Lower than every turn: a configuration whose turns cannot be read follows its Secrets anew. */
const unreadable = -1

/**
 * The turn of a setting that the configuration has followed, 0 for none; below 0 where the annotation cannot be read.
 */
export function turnOf(config: PlatformConfig | undefined, setting: Setting): number {
  const turns = turnsOf(config)
  return turns === undefined ? unreadable : (turns[setting] ?? 0)
}

/** Whether the annotation was edited into something that svc cannot read. */
export const hasUnreadableTurns = (config: PlatformConfig): boolean => turnsOf(config) === undefined

/** The configuration with the save applied; unchanged when it has followed this save or a later one. */
export function withSetting(config: PlatformConfig, setting: Setting, saved: SavedSetting): PlatformConfig {
  if (turnOf(config, setting) >= saved.turn) return config
  const none = Object.fromEntries(fields[setting].map((field) => [field, undefined]))
  const turns = JSON.stringify({ ...turnsOf(config), [setting]: saved.turn })
  const followed = {
    ...config,
    metadata: { ...config.metadata, annotations: { ...config.metadata.annotations, [annotations.setting]: turns } },
    spec: { ...config.spec, ...none, ...saved.part },
  }
  return withLiveEditor(({ spec }) => spec, config, followed, saved.actor)
}

type Turns = { [Name in Setting]?: number }

/** Undefined for an unreadable annotation: kubectl can write anything there. */
function turnsOf(config: PlatformConfig | undefined): Turns | undefined {
  const text = config?.metadata.annotations?.[annotations.setting]
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text)
    return isTurns(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isTurns = (value: unknown): value is Turns =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((turn) => Number.isSafeInteger(turn) && turn >= 0)
