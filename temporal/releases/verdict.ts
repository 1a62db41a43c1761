/** Which of several releases of svc gets the work. Pure; all times are by the Temporal server's clock. */

/** A release that the Temporal server knows. */
export interface KnownRelease {
  id: string
  /** When its first worker polled, in nanoseconds. */
  since: bigint
  /** Whether it was ever the current release. */
  wasCurrent: boolean
}

export interface Releases {
  /** The release that gets the work; undefined if workers without a version do. */
  current: string | undefined
  known: readonly KnownRelease[]
}

/**
 * Whether a worker of this release makes it the current one: if no release is current, or if it is newer than the
 * current one and was never current. So an old worker that restarts does not take over, nor does a new release that an
 * operator has rolled back from; of two new releases that start at the same time the later one becomes current, in
 * whatever order they decide. A release that the server does not know never takes over: an empty answer does not prove
 * that no release is current.
 */
export function takesOver(own: string, { current, known }: Releases): boolean {
  const [mine, theirs] = [own, current].map((id) => known.find((release) => release.id === id))
  if (current === own || mine === undefined) return false
  if (current === undefined) return true
  if (mine.wasCurrent) return false
  return theirs === undefined || mine.since > theirs.since || (mine.since === theirs.since && mine.id > theirs.id)
}
