/** Which DNS zone gets the records of the platform (docs/reference/platform.md#configuration). */

export interface Zone {
  id: string
  name: string
}

export interface ZoneWishes {
  /** `spec.cloudflareZoneID`; '' for a choice by the other fields. */
  zoneId: string
  /** `zoneName` of the connection's Secret. */
  zoneName: string
  /** `zones` of the Secret: the only ones to choose from; empty allows every visible one. */
  zones: readonly string[]
  rootDomain: string
}

export type ZoneChoice =
  { zone: Zone } | { none: 'unknown-id' | 'unknown-name' | 'no-zone' | 'several'; message: string }

/**
 * The zone with the given ID or name, else that of the root domain, else the only one
 * (docs/reference/platform.md#configuration); else ZoneRequired.
 */
export function chooseZone(visible: readonly Zone[], { zoneId, zoneName, zones, rootDomain }: ZoneWishes): ZoneChoice {
  if (zoneId !== '') {
    const chosen = visible.find(({ id }) => id === zoneId)
    return chosen === undefined
      ? { none: 'unknown-id', message: `the token sees no zone with the ID ${zoneId}` }
      : { zone: chosen }
  }
  const allowed = zones.length === 0 ? visible : visible.filter(({ name }) => zones.includes(name))
  if (zoneName !== '') {
    const named = allowed.find(({ name }) => name === zoneName)
    return named === undefined
      ? { none: 'unknown-name', message: `the token sees no zone ${zoneName}` }
      : { zone: named }
  }
  const [matching] = allowed
    .filter(({ name }) => isWithin(rootDomain, name))
    .toSorted((a, b) => b.name.length - a.name.length)
  if (matching !== undefined) return { zone: matching }
  const [only, another] = allowed
  if (only === undefined) return { none: 'no-zone', message: 'the token sees no zone' }
  if (another === undefined) return { zone: only }
  return { none: 'several', message: `${allowed.length} zones are visible and none matches ${rootDomain}: choose one` }
}

/** Whether a host can have a record in the zone of this name. */
export function isWithin(host: string, zone: string): boolean {
  return host === zone || host.endsWith(`.${zone}`)
}
