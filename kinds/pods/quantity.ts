/** Kubernetes quantities as numbers: CPU in thousandths of a core, memory in bytes. */

const binary: Record<string, number> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 }
const decimal: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
}

/** The value of a quantity such as `250m`, `1.5`, `512Mi`, `2e3`; undefined for a text that is no quantity. */
export function quantity(text: string | number | undefined): number | undefined {
  if (text === undefined) return undefined
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:e([+-]?\d+)|([KMGTPE]i|[numkMGTPE]?))$/i.exec(String(text).trim())
  if (match === null) return undefined
  const [, number = '', exponent, suffix = ''] = match
  if (exponent !== undefined) return Number(number) * 10 ** Number(exponent)
  const factor = binary[suffix] ?? decimal[suffix]
  return factor === undefined ? undefined : Number(number) * factor
}

/** CPU in thousandths of a core, rounded up; 0 when absent or unreadable. */
export function cpuMillis(text: string | number | undefined): number {
  return Math.ceil((quantity(text) ?? 0) * 1000 - 1e-9)
}

/** Memory in bytes, rounded up; 0 when absent or unreadable. */
export function bytes(text: string | number | undefined): number {
  return Math.ceil(quantity(text) ?? 0)
}
