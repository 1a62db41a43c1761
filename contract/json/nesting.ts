/** How deep a JSON value nests; JSON.parse takes any depth, JSON.stringify and what walks a value do not. */
import { jsonNestingMax } from '../limits.ts'

/** Whether objects and lists lie in each other more than 64 deep. */
export function isTooDeep(value: unknown, left = jsonNestingMax): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((each) => isTooDeep(each, left - 1))
}
