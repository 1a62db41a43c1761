/** Which build of a service counts, and whether it is over (docs/reference/services.md#builds). */

import type { Build } from './kind.ts'

/** Undefined for a service that was never built. */
export function newestBuild(builds: readonly Build[]): Build | undefined {
  const [newest] = [...builds].sort((a, b) =>
    (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? 1 : -1,
  )
  return newest
}

export function isFinished({ status }: Build): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' || status?.phase === 'Cancelled'
}
