/** Reading a spec, which the contract leaves open: by path, as texts of a form. */

export type Spec = Readonly<Record<string, unknown>>

function at(spec: Spec, path: string): unknown {
  let value: unknown = spec
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Spec)[name]
  }
  return value
}

/** Empty for what is not there. */
export function textOf(spec: Spec, path: string): string {
  const value = at(spec, path)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

export const flagOf = (spec: Spec, path: string): boolean => at(spec, path) === true

export const isThere = (spec: Spec, path: string): boolean => at(spec, path) !== undefined

export function listOf(spec: Spec, path: string): readonly unknown[] {
  const value = at(spec, path)
  return Array.isArray(value) ? value : []
}

export const linesOf = (spec: Spec, path: string): string => listOf(spec, path).map(String).join('\n')
