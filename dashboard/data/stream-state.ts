/** Whether the change stream of the page holds; the first reads wait for it. */
import { useSyncExternalStore } from 'react'

export type StreamState =
  | { readonly phase: 'connecting' }
  | { readonly phase: 'open' }
  /** `since`: from when on what is shown may be old; milliseconds since the epoch. */
  | { readonly phase: 'lost'; readonly since: number; readonly tries: number }

/** The first reads of a page wait so long for the stream: of what changes before it holds it says nothing. */
const firstReadsMs = 250

let state: StreamState = { phase: 'connecting' }
const listeners = new Set<() => void>()
/** Something was read that the stream may have said nothing of. */
let readUnfollowed = false

export function setStreamState(next: StreamState): void {
  state = next
  for (const listener of listeners) listener()
}

export const isFollowed = (): boolean => state.phase === 'open'

/** Resolves when the stream holds, or is not waited for any longer. */
export async function untilFollowed(): Promise<void> {
  if (state.phase === 'connecting')
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        listeners.delete(done)
        resolve()
      }
      const timer = setTimeout(done, firstReadsMs)
      listeners.add(done)
    })
  if (state.phase !== 'open') readUnfollowed = true
}

/** Whether that was so until now. */
export function wasReadUnfollowed(): boolean {
  const was = readUnfollowed
  readUnfollowed = false
  return was
}

export function useStreamState(): StreamState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}
