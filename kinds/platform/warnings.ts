/** What an overview of the platform warns of: what is set up and does not work, and what is nearly used up. */
import type { PlatformWarning } from '../../contract/platform/views.ts'

/** What the last check of a setting said. */
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
  /** Undefined while nothing has looked. */
  readonly highAvailability: { readonly ready: boolean; readonly message: string } | undefined
  readonly domain: Checked
  readonly dnsProvider: Checked
  /** Null while the nodes are not known. */
  readonly capacity: Free | null
}

/** Less of the capacity than this is said. */
const leastFreeShare = 0.1

/**
 * In the order of what to mend first. `full` is false for callers who cannot change things: which domain, and what a
 * check found, is left out for them.
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

/** What nothing has checked yet is no trouble. */
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
