/**
 * Reports changed credentials, so that long answers check or lose their caller: a revoked token, a sign-out, another
 * role.
 */
import type { CacheEvent, ResourceCache } from '../../cluster/cache/cache.ts'
import { authLabel, type AuthSecret } from '../../records/secrets/auth-secret.ts'

export interface CredentialWatch {
  /** Calls the listener for each change until the returned function is called. */
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

/** The time of a token's last use changes its Secret, but no rights; new credentials have no caller yet. */
function matters({ type, object, previous }: CacheEvent<AuthSecret>): boolean {
  if (object.metadata.labels?.[authLabel] === 'devices' || type === 'add') return false
  return (
    type === 'delete' ||
    object.metadata.deletionTimestamp !== undefined ||
    JSON.stringify(object.data) !== JSON.stringify(previous?.data)
  )
}
