/** Warnings in the overview of the platform: settings that do not work, and capacity that is nearly used up. */
import type { PlatformWarning } from '../../contract/platform/views.ts'

/** The result of the last check of a setting. */
interface Checked {
  readonly configured: boolean
  readonly ready: boolean
  readonly reason: string
  readonly message: string
}

interface Free {
  readonly cpuAllocatableMillis: number
  readonly cpuFreeMillis: number
  readonly memoryAllocatableBytes: number
  readonly memoryFreeBytes: number
}

export interface PlatformSeen {
  /** Undefined before the first check. */
  readonly highAvailability: { readonly ready: boolean; readonly message: string } | undefined
  readonly domain: Checked
  readonly dnsProvider: Checked
  /** Null while the nodes are not known. */
  readonly capacity: Free | null
}

/** A smaller free share of the capacity is a warning. */
const leastFreeShare = 0.1

/**
 * In the order in which to fix them. `full` is false for callers who may not change settings: domains and messages of
 * checks are left out for them.
 */
export function platformWarnings(seen: PlatformSeen, full: boolean): PlatformWarning[] {
  const { highAvailability: ha } = seen
  return [
    ...ofCapacity(seen.capacity),
    ...ofSetting('domain', seen.domain, full, 'the domain of the platform does not work'),
    ...ofSetting('dns', seen.dnsProvider, full, 'the DNS provider does not work'),
    ...(ha === undefined || ha.ready ? [] : [{ about: 'high-availability' as const, message: ha.message }]),
  ]
}

/** A setting that was not checked yet is no warning. */
function ofSetting(
  about: 'domain' | 'dns',
  { configured, ready, reason, message }: Checked,
  full: boolean,
  short: string,
): PlatformWarning[] {
  if (!configured || ready || reason === 'NotChecked') return []
  return [{ about, message: full && message !== '' ? message : short }]
}

function ofCapacity(capacity: Free | null): PlatformWarning[] {
  if (capacity === null) return []
  const { cpuAllocatableMillis, cpuFreeMillis, memoryAllocatableBytes, memoryFreeBytes } = capacity
  if (cpuAllocatableMillis === 0) return [{ about: 'capacity', message: 'no node is ready to take copies' }]
  const parts = [
    ['CPU', cpuFreeMillis / cpuAllocatableMillis],
    ['memory', memoryFreeBytes / memoryAllocatableBytes],
  ] as const
  return parts
    .filter(([, share]) => share < leastFreeShare)
    .map(([what, share]) => ({
      about: 'capacity',
      message: `${Math.floor(share * 100)} % of the ${what} of the cluster is free`,
    }))
}
