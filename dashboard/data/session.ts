/** Who is signed in, and what follows from it for the page. */
import { useSyncExternalStore } from 'react'
import type { View } from '../../contract/operations.ts'
import { call, onSessionLost } from './api.ts'
import { queryClient } from './query-client.ts'

export interface Me {
  readonly username: string
  readonly role: 'admin' | 'viewer'
  /** May change things; a viewer reads the redacted overview. */
  readonly canMutate: boolean
}

export type SessionState =
  | { readonly phase: 'unknown' }
  | { readonly phase: 'failed'; readonly error: unknown }
  | { readonly phase: 'nobody' }
  /** `lost`: the session ended while the page was open; the page stays, with what was typed into it. */
  | { readonly phase: 'in'; readonly me: Me; readonly lost: boolean }

let state: SessionState = { phase: 'unknown' }
const listeners = new Set<() => void>()

function set(next: SessionState): void {
  state = next
  for (const listener of listeners) listener()
}

export function useSession(): SessionState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}

/** Only for pages, which are shown to those who are signed in. */
export function useMe(): Me {
  const session = useSession()
  if (session.phase !== 'in') throw new Error('this page needs a session')
  return session.me
}

export async function loadSession(): Promise<void> {
  try {
    apply(await call('auth.session', {}))
  } catch (error) {
    set({ phase: 'failed', error })
  }
}

function apply(view: View<'auth.session'>): void {
  if (view.authenticated) set({ phase: 'in', lost: false, me: meOf(view) })
  else set({ phase: 'nobody' })
}

const meOf = ({ username, role, canMutate }: Me): Me => ({ username, role, canMutate })

/** Another user sees nothing of what the one before had on the page. */
export function signedIn(view: Me): void {
  if (state.phase === 'in' && state.me.username === view.username) void queryClient.invalidateQueries()
  else queryClient.clear()
  set({ phase: 'in', lost: false, me: meOf(view) })
}

export async function signOut(): Promise<void> {
  await call('auth.logout', {})
  queryClient.clear()
  set({ phase: 'nobody' })
}

onSessionLost(() => {
  if (state.phase === 'in' && !state.lost) set({ ...state, lost: true })
})
