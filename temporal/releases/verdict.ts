/** Which of several releases of svc gets the work. Pure; every time in it is the Temporal server's. */

/** A release, as the Temporal server knows it. */
export interface KnownRelease {
  id: string
  /** When its first worker came, in nanoseconds. */
  since: bigint
  /** Whether it ever got the work. */
  wasCurrent: boolean
}

export interface Releases {
  /** The one that gets the work; undefined when workers without a version do. */
  current: string | undefined
  known: readonly KnownRelease[]
}

/**
 * Whether a worker of this release makes it the current one: when none is, and when it is newer than that and never
 * was. So an old worker that starts again takes nothing back, nor does a new release that an operator went back from;
 * of two new releases that start at the same moment the later one has the work in the end, whichever of them asks
 * first. A release that the server does not know takes nothing over: an answer that nothing is known is no proof that
 * nothing is current.
 */
export function takesOver(own: string, { current, known }: Releases): boolean {
  const [mine, theirs] = [own, current].map((id) => known.find((release) => release.id === id))
  if (current === own || mine === undefined) return false
  if (current === undefined) return true
  if (mine.wasCurrent) return false
  return theirs === undefined || mine.since > theirs.since || (mine.since === theirs.since && mine.id > theirs.id)
}
