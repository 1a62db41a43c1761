/** Which build of a service counts, and whether it is over (docs/reference/services.md#builds). */
import { isBuildOver } from '../../contract/fields/words.ts'
import type { Build } from './kind.ts'

/** Undefined for a service that was never built. */
export function newestBuild(builds: readonly Build[]): Build | undefined {
  const [newest] = [...builds].sort(newestFirst)
  return newest
}

/** Creation times have whole seconds, so the name decides between two of the same second. */
export function newestFirst(a: Build, b: Build): number {
  const [one, other] = [a, b].map(({ metadata }) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`)
  return (one ?? '') < (other ?? '') ? 1 : -1
}

export function isFinished({ status }: Build): boolean {
  return isBuildOver(status?.phase ?? 'Pending')
}
