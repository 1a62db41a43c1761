/** Ends or checks long answers when their caller's credentials change: a token revoked, a sign-out, another role. */
import type { CacheEvent, ResourceCache } from '../../cluster/cache/cache.ts'
import { authLabel, type AuthSecret } from '../../records/secrets/auth-secret.ts'

export interface CredentialWatch {
  /** Until the returned function is called. */
  listen(listener: () => void): () => void
  stop(): void
}

export function watchCredentials(secrets: ResourceCache<AuthSecret>): CredentialWatch {
  const listeners = new Set<() => void>()
  const stop = secrets.onChange((event) => {
    if (matters(event)) for (const listener of listeners) listener()
  })
  return {
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop,
  }
}

/**
 * The note of a token's last use changes its Secret, too, and nothing of what it may do; new credentials are of no
 * caller yet.
 */
function matters({ type, object, previous }: CacheEvent<AuthSecret>): boolean {
  if (object.metadata.labels?.[authLabel] === 'devices' || type === 'add') return false
  return (
    type === 'delete' ||
    object.metadata.deletionTimestamp !== undefined ||
    JSON.stringify(object.data) !== JSON.stringify(previous?.data)
  )
}
