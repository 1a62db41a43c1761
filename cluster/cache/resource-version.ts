/** Compares resource versions: as big integers where both are decimal (KEP-5504), else unknown. */

const decimal = /^[1-9][0-9]*$/

/**
 * Negative when `a` is older than `b`, 0 when the same, positive when newer, undefined when they cannot be compared.
 */
export function compareVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined
  if (a === b) return 0
  if (!decimal.test(a) || !decimal.test(b)) return undefined
  // Without leading zeros the longer number is the larger one; same length compares like text.
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : 1
}
