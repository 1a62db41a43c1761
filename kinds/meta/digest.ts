/** A digest of any JSON value, the same in every process; for detecting changes, never for security. */

/**
 * 24 hexadecimal characters over the canonical form (keys sorted, absent and null fields alike).
 * Pure arithmetic instead of a crypto module, because workflow code may import this.
 */
export function digest(value: unknown): string {
  const text = canonical(value)
  return mix(text, 0x9e3779b1) + mix(text, 0x85ebca6b).slice(0, 10)
}

/** JSON with sorted keys; null and absent fields are left out, so a server's pruning changes nothing. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined && field !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
  return `{${fields.join(',')}}`
}

/** Two interleaved 32-bit multiplicative hashes (the public-domain cyrb53 scheme), as 14 hexadecimal characters. */
function mix(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed
  let low = 0x41c6ce57 ^ seed
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, '0')
}
