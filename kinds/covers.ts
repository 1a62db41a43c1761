/** Whether an object on the cluster has all fields of a manifest, whatever the API server added. */

/** Lists must have the same length and order; additional fields of the object do not count. */
export function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(live) && live.length === wanted.length && wanted.every((item, at) => covers(live[at], item))
  if (typeof wanted !== 'object' || wanted === null) return live === wanted
  const fields = Object.entries(wanted).filter(([, value]) => value !== undefined)
  // The API server leaves empty objects out.
  if (fields.length === 0) return live === undefined || typeof live === 'object'
  if (typeof live !== 'object' || live === null) return false
  const there = new Map<string, unknown>(Object.entries(live))
  return fields.every(([name, value]) => covers(there.get(name), value) || (isEmptyList(value) && !there.has(name)))
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0
