/** API tokens: made, listed, recognised, revoked; the value itself is told once and kept nowhere. */
import type { Logger } from '../../cluster/log.ts'
import type { WorkspaceRole } from '../../contract/caller.ts'
import { tokenUseWriteSeconds } from '../../contract/limits.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/resource-type.ts'
import { labels } from '../../kinds/annotations.ts'
import { systemNamespace } from '../../kinds/group.ts'
import { authLabel, withValues } from '../auth-secret.ts'
import type { AuthSecret } from '../auth-secret.ts'
import type { RecordStore } from '../record-store.ts'
import type { TrustedSecrets } from '../trusted-secrets.ts'
import { digestIn, lastUsedAnnotation, recordOf, tokenSecret, tokenSecretName } from './token-secret.ts'
import { digestOf, formatToken, isTokenId, matchesDigest, mintId, mintSecret, parseToken } from './token-text.ts'

export type NewToken = { readonly name: string; readonly createdBy: string; readonly expiresInDays: number } & (
  { readonly scope: 'workspace'; readonly role: WorkspaceRole } | { readonly scope: 'project'; readonly project: string; readonly environment: string }
)

export interface Tokens {
  create(wanted: NewToken): Promise<{ token: string; item: TokenRecord }>
  /** A token without a value yet, for a device sign-in; `redeem` makes the value when the device comes back. */
  reserve(wanted: NewToken): Promise<TokenRecord>
  /** The value, once; undefined when it was handed out already or the token is gone. */
  redeem(id: string): Promise<{ token: string; item: TokenRecord } | undefined>
  /** The token of a text, when it is known, right and not expired. */
  authenticate(text: string): Promise<TokenRecord | undefined>
  /** The same without counting as a use of it. */
  recognise(text: string): Promise<TokenRecord | undefined>
  list(project?: string): TokenRecord[]
  read(id: string): Promise<TokenRecord | undefined>
  /** False when there is no such token. */
  revoke(id: string): Promise<boolean>
  /** Revokes what belongs to a project; how many there were. */
  revokeOfProject(project: string, environment?: string): Promise<number>
}

export interface TokenNeeds {
  readonly client: ClusterClient
  readonly store: RecordStore<AuthSecret>
  readonly trusted: TrustedSecrets
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly log: Logger
}

const dayMs = 24 * 3600 * 1000

export function createTokens(needs: TokenNeeds): Tokens {
  const { client, store, trusted, clock } = needs
  const noteUse = createUseNotes(needs)
  const of = (secret: AuthSecret): TokenRecord => recordOf(secret, clock())
  const save = async (wanted: NewToken, digest?: string): Promise<TokenRecord> => of(await store.create(tokenSecret(newRecord(wanted, clock()), digest)))
  const remove = async (secret: AuthSecret): Promise<boolean> => {
    const there = await store.remove(secret.metadata.name, secret.metadata.uid ?? '')
    store.cache.forget(secret)
    return there
  }
  const find = async (text: string): Promise<{ secret: AuthSecret; token: TokenRecord } | undefined> => {
    const parsed = parseToken(text)
    if (parsed === undefined) return undefined
    const name = tokenSecretName(parsed.id)
    const known = await trusted.read(name)
    // Without a value as far as memory goes: another replica may have handed it out a moment ago.
    const secret = known !== undefined && digestIn(known) === undefined ? await trusted.readLive(name) : known
    const digest = secret === undefined ? undefined : digestIn(secret)
    if (secret === undefined || digest === undefined || secret.metadata.deletionTimestamp !== undefined) return undefined
    const token = of(secret)
    return matchesDigest(parsed.secret, digest) && !token.expired && token.scope === parsed.scope ? { secret, token } : undefined
  }

  return {
    async create(wanted) {
      const secret = mintSecret()
      const item = await save(wanted, digestOf(secret))
      return { token: formatToken({ scope: item.scope, id: item.id, secret }), item }
    },
    reserve: (wanted) => save(wanted),
    async redeem(id) {
      const value = mintSecret()
      const digest = digestOf(value)
      // Whoever writes the digest first has the only value; a second caller finds another one there.
      const saved = await store.edit(tokenSecretName(id), (secret) => (digestIn(secret) === undefined ? withValues(secret, { digest }) : undefined))
      if (saved === undefined || digestIn(saved) !== digest) return undefined
      const item = of(saved)
      return { token: formatToken({ scope: item.scope, id: item.id, secret: value }), item }
    },
    async authenticate(text) {
      const found = await find(text)
      if (found !== undefined) noteUse(found.secret)
      return found?.token
    },
    recognise: async (text) => (await find(text))?.token,
    list(project) {
      const tokens = store.cache
        .list()
        .filter((secret) => secret.metadata.labels?.[authLabel] === 'token')
        .map(of)
      const wanted = project === undefined || project === '' ? tokens : tokens.filter((token) => token.project === project)
      return wanted.sort((a, b) => b.createdAt.localeCompare(a.createdAt))
    },
    async read(id) {
      const secret = await trusted.read(tokenSecretName(id))
      return secret === undefined ? undefined : of(secret)
    },
    async revoke(id) {
      const secret = isTokenId(id) ? await store.readLive(tokenSecretName(id)) : undefined
      return secret === undefined ? false : remove(secret)
    },
    async revokeOfProject(project, environment) {
      const place = { [authLabel]: 'token', [labels.project]: project, ...(environment === undefined ? {} : { [labels.environment]: environment }) }
      const labelSelector = Object.entries(place)
        .map(([name, value]) => `${name}=${value}`)
        .join(',')
      const { items } = await client.list<AuthSecret>(coreTypes.secret, { namespace: systemNamespace, labelSelector })
      const gone = await Promise.all(items.map(remove))
      return gone.filter(Boolean).length
    },
  }
}

function newRecord(wanted: NewToken, now: number) {
  const { name, createdBy, expiresInDays } = wanted
  const place = wanted.scope === 'project' ? { project: wanted.project, environment: wanted.environment } : { project: '', environment: '' }
  return {
    id: mintId(),
    name: name === '' ? 'API token' : name,
    scope: wanted.scope,
    ...place,
    role: wanted.scope === 'project' ? ('project' as const) : wanted.role,
    createdBy,
    createdAt: new Date(now).toISOString(),
    expiresAt: expiresInDays === 0 ? null : new Date(now + expiresInDays * dayMs).toISOString(),
  }
}

/** Writes `lastUsedAt` in the background, at most once a minute per token over all replicas that see each other's writes. */
function createUseNotes({ client, store, clock, log }: TokenNeeds): (secret: AuthSecret) => void {
  const writtenAt = new Map<string, number>()
  return (secret) => {
    const { name, annotations } = secret.metadata
    const known = Math.max(Date.parse(annotations?.[lastUsedAnnotation] ?? '') || 0, writtenAt.get(name) ?? 0)
    if (clock() - known < tokenUseWriteSeconds * 1000) return
    writtenAt.set(name, clock())
    const patch = { metadata: { uid: secret.metadata.uid, annotations: { [lastUsedAnnotation]: new Date(clock()).toISOString() } } }
    const ref = { type: coreTypes.secret, namespace: systemNamespace, name }
    client.patch<AuthSecret>(ref, patch).then(
      (saved) => store.cache.put(saved),
      // A token revoked meanwhile is gone, and the note with it.
      (error: unknown) => log.warn({ secret: name, error: String(error) }, 'last use of a token could not be noted'),
    )
  }
}
