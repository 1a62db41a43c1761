/** An API token as a Secret: its fields, and the digest of its secret part. */
import { z } from 'zod'
import { textAt } from '../../cluster/objects/secret-data.ts'
import { parsedBy } from '../../contract/json/parsed-by.ts'
import { tokenRecordView, type TokenRecord } from '../../contract/views/token-record.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { tokenSecretName } from '../../kinds/system-secrets.ts'
import { authSecret, type AuthSecret } from '../secrets/auth-secret.ts'
import { defined } from '../../contract/defined.ts'

/** Written when the token is used, at most once a minute. */
export const lastUsedAnnotation = 'svc.dev/last-used-at'

/** Workspace tokens of earlier releases lack project and environment. */
const stored = tokenRecordView
  .omit({ lastUsedAt: true, expired: true })
  .extend({ project: z.string().default(''), environment: z.string().default('') })
export type StoredToken = z.output<typeof stored>

/** @param digest undefined for a token whose secret part is made when the program of a device sign-in polls for it */
export function tokenSecret(token: StoredToken, digest: string | undefined): AuthSecret {
  const { scope, project, environment } = token
  const place = scope === 'project' ? { [labels.project]: project, [labels.environment]: environment } : {}
  const values = { token: JSON.stringify(token), ...defined({ digest }) }
  return authSecret(tokenSecretName(token.id), 'token', values, place)
}

export function digestIn(secret: AuthSecret): string | undefined {
  const digest = digests.get(secret) ?? textAt(secret, 'digest')
  if (digest !== undefined) digests.set(secret, digest)
  return digest
}

const digests = new WeakMap<AuthSecret, string>()

/** Parsed once per version of the Secret: the cache returns the same object for every request. */
const read = new WeakMap<AuthSecret, StoredToken | undefined>()

/**
 * The token that the Secret holds; undefined for one that was made by hand, or copied, and holds none of its own name.
 *
 * @param now milliseconds since the epoch
 */
export function tokenIn(secret: AuthSecret, now: number): TokenRecord | undefined {
  if (!read.has(secret)) read.set(secret, storedIn(secret))
  const token = read.get(secret)
  if (token === undefined) return undefined
  const lastUsedAt = secret.metadata.annotations?.[lastUsedAnnotation] ?? null
  return { ...token, lastUsedAt, expired: token.expiresAt !== null && Date.parse(token.expiresAt) <= now }
}

function storedIn(secret: AuthSecret): StoredToken | undefined {
  const token = parsedBy(stored, textAt(secret, 'token') ?? '')
  return token !== undefined && secret.metadata.name === tokenSecretName(token.id) ? token : undefined
}
