/** API tokens: create, list, authenticate and revoke. The text of a token is shown once and stored nowhere. */
import { defined } from '../../contract/defined.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import type { WorkspaceRole } from '../../contract/caller.ts'
import { tokenUseWriteSeconds, unfetchedTokenSeconds } from '../../contract/limits.ts'
import type { TokenRecord } from '../../contract/views/token-record.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { isConflict } from '../../cluster/objects/errors.ts'
import { sentVersionOf } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { tokenSecretName } from '../../kinds/system-secrets.ts'
import { authLabel, withValues, type AuthSecret } from '../secrets/auth-secret.ts'
import { BoundedMap } from '../counters/bounded-map.ts'
import type { RecordStore } from '../store/record-store.ts'
import type { TrustedSecrets } from '../secrets/trusted-secrets.ts'
import { digestIn, lastUsedAnnotation, tokenIn, tokenSecret } from './token-secret.ts'
import { isTokenId, mintId } from './token-id.ts'
import { digestOf, formatToken, matchesDigest, mintSecret, parseToken, type TokenText } from './token-text.ts'
import { createUnknownTokens } from './unknown-tokens.ts'

export type NewToken = { readonly name: string; readonly createdBy: string; readonly expiresInDays: number } & (
  | { readonly scope: 'workspace'; readonly role: WorkspaceRole }
  | { readonly scope: 'project'; readonly project: string; readonly environment: string }
)

export interface Tokens {
  create(wanted: NewToken): Promise<{ token: string; item: TokenRecord }>
  /** A token without a secret part, for a device sign-in; `redeem` makes that part when the program polls for it. */
  reserve(wanted: NewToken): Promise<TokenRecord>
  /** The text of the token, once; undefined when it was handed out before or the token is gone. */
  redeem(id: string): Promise<{ token: string; item: TokenRecord } | undefined>
  /**
   * The token of a text, when it exists, its secret part is right and it is not expired. Throws Problem rate_limited
   * when too many texts were tried that are not in the cache.
   * @param address of the caller
   */
  authenticate(text: string, address: () => string): Promise<TokenRecord | undefined>
  /** As `authenticate`, from the cache alone: undefined also for a token that the cache does not have. */
  authenticateCached(text: string): TokenRecord | undefined
  /** As `authenticate`, without counting as a use of the token. */
  recognise(text: string, address: () => string): Promise<TokenRecord | undefined>
  list(project?: string): TokenRecord[]
  read(id: string): Promise<TokenRecord | undefined>
  /** False when the token does not exist. */
  revoke(id: string): Promise<boolean>
  /** Deletes tokens approved for a device sign-in whose program never polled for the text. */
  sweepUnfetched(): Promise<void>
  /** Revokes the tokens of a project, or of one environment; returns how many. */
  revokeOfProject(project: string, environment?: string): Promise<number>
}

export interface TokenNeeds {
  readonly client: ClusterClient
  readonly store: RecordStore<AuthSecret>
  readonly trusted: TrustedSecrets
  /** The key of the proof in token ids; undefined while there are no users. */
  readonly idKey: () => Promise<Buffer | undefined>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly log: Logger
}

const dayMs = 24 * 3600 * 1000
/** So many times of a last write are kept; with more tokens in use, `lastUsedAt` is written more often than needed. */
const notesKept = 10_000

export function createTokens(needs: TokenNeeds): Tokens {
  const { client, store, trusted, idKey, clock } = needs
  const noteUse = createUseNotes(needs)
  const find = createFind(needs)
  const of = (secret: AuthSecret): TokenRecord | undefined => tokenIn(secret, clock())
  const save = async (wanted: NewToken, digest?: string): Promise<TokenRecord> => {
    const record = newRecord(mintId(await idKey()), wanted, clock())
    await store.create(tokenSecret(record, digest))
    return { ...record, lastUsedAt: null, expired: false }
  }
  const remove = async (secret: AuthSecret): Promise<boolean> => {
    const there = await store.remove(secret.metadata.name, secret.metadata.uid ?? '')
    store.cache.forget(secret)
    return there
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
      // The first writer of a digest has the only valid text; a second caller finds another digest.
      const saved = await store.edit(tokenSecretName(id), (secret) =>
        digestIn(secret) === undefined ? withValues(secret, { digest }) : undefined,
      )
      if (saved === undefined || digestIn(saved) !== digest) return undefined
      const item = of(saved)
      return item && { token: formatToken({ scope: item.scope, id: item.id, secret: value }), item }
    },
    async authenticate(text, address) {
      const found = await find(text, address)
      if (found !== undefined) noteUse(found.secret)
      return found?.token
    },
    authenticateCached(text) {
      const found = find.cached(text)
      if (found !== undefined) noteUse(found.secret)
      return found?.token
    },
    recognise: async (text, address) => (await find(text, address))?.token,
    list(project) {
      const tokens = store.cache
        .list()
        .filter((secret) => secret.metadata.labels?.[authLabel] === 'token')
        .map(of)
        .filter((token) => token !== undefined)
      const wanted =
        project === undefined || project === '' ? tokens : tokens.filter((token) => token.project === project)
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
    sweepUnfetched: () => sweepUnfetched(needs),
    async revokeOfProject(project, environment) {
      const place = {
        [authLabel]: 'token',
        [labels.project]: project,
        ...defined({ [labels.environment]: environment }),
      }
      const labelSelector = Object.entries(place)
        .map(([name, value]) => `${name}=${value}`)
        .join(',')
      const { items } = await client.list<AuthSecret>(coreTypes.secret, { namespace: systemNamespace, labelSelector })
      const gone = await Promise.all(items.map(remove))
      return gone.filter(Boolean).length
    },
  }
}

async function sweepUnfetched({ client, store, clock }: TokenNeeds): Promise<void> {
  const isUnfetched = (secret: AuthSecret): boolean => {
    if (secret.metadata.labels?.[authLabel] !== 'token' || digestIn(secret) !== undefined) return false
    const token = tokenIn(secret, clock())
    return token !== undefined && clock() - Date.parse(token.createdAt) > unfetchedTokenSeconds * 1000
  }
  for (const { metadata } of store.cache.list().filter(isUnfetched)) {
    const live = await store.readLive(metadata.name)
    if (live === undefined || !isUnfetched(live)) continue
    const ref = { type: coreTypes.secret, namespace: systemNamespace, name: metadata.name }
    try {
      await client.delete(ref, sentVersionOf(live))
      store.cache.forget(live)
    } catch (error) {
      // Another replica has made the secret part since the read and handed the token out: the token stays.
      if (!isConflict(error)) throw error
    }
  }
}

interface Found {
  readonly secret: AuthSecret
  readonly token: TokenRecord
}

/**
 * Finds the Secret and the record of a token's text, when it exists, its secret part is right and it is not expired.
 */
function createFind(needs: TokenNeeds) {
  const { store, trusted, clock } = needs
  const unknown = createUnknownTokens(needs)
  const judge = (secret: AuthSecret | undefined, parsed: TokenText): Found | undefined => {
    const digest = secret === undefined ? undefined : digestIn(secret)
    if (secret === undefined || digest === undefined || secret.metadata.deletionTimestamp !== undefined)
      return undefined
    const token = tokenIn(secret, clock())
    if (token === undefined) return undefined
    return matchesDigest(parsed.secret, digest) && !token.expired && token.scope === parsed.scope
      ? { secret, token }
      : undefined
  }
  const find = async (text: string, address: () => string): Promise<Found | undefined> => {
    const parsed = parseToken(text)
    if (parsed === undefined) return undefined
    const name = tokenSecretName(parsed.id)
    const isCached = store.cache.get(name, systemNamespace) !== undefined
    const known = isCached ? await trusted.read(name) : await unknown.read(parsed.id, address)
    // The cached Secret has no secret part yet: another replica may have made it a moment ago.
    const secret = known !== undefined && digestIn(known) === undefined ? await trusted.readLive(name) : known
    return judge(secret, parsed)
  }
  /** As `find`, from the cache alone; undefined also where `find` would read live. */
  const cached = (text: string): Found | undefined => {
    const parsed = parseToken(text)
    return parsed === undefined ? undefined : judge(trusted.cached(tokenSecretName(parsed.id)), parsed)
  }
  return Object.assign(find, { cached })
}

function newRecord(id: string, wanted: NewToken, now: number) {
  const { name, createdBy, expiresInDays } = wanted
  const place =
    wanted.scope === 'project'
      ? { project: wanted.project, environment: wanted.environment }
      : { project: '', environment: '' }
  return {
    id,
    name: name === '' ? 'API token' : name,
    scope: wanted.scope,
    ...place,
    role: wanted.scope === 'project' ? ('project' as const) : wanted.role,
    createdBy,
    createdAt: new Date(now).toISOString(),
    expiresAt: expiresInDays === 0 ? null : new Date(now + expiresInDays * dayMs).toISOString(),
  }
}

/**
 * Writes `lastUsedAt` in the background, at most once a minute per token over all replicas that see each other's
 * writes.
 */
function createUseNotes({ client, store, clock, log }: TokenNeeds): (secret: AuthSecret) => void {
  const writtenAt = new BoundedMap<string, number>(notesKept)
  return (secret) => {
    const { name, annotations } = secret.metadata
    const known = Math.max(Date.parse(annotations?.[lastUsedAnnotation] ?? '') || 0, writtenAt.get(name) ?? 0)
    if (clock() - known < tokenUseWriteSeconds * 1000) return
    writtenAt.set(name, clock())
    const patch = {
      metadata: { uid: secret.metadata.uid, annotations: { [lastUsedAnnotation]: new Date(clock()).toISOString() } },
    }
    const ref = { type: coreTypes.secret, namespace: systemNamespace, name }
    client.patch<AuthSecret>(ref, patch).then(
      (saved) => store.cache.put(saved),
      // A token that was revoked meanwhile is gone, and its annotation with it.
      (error: unknown) =>
        log.warn({ secret: name, error: String(error) }, 'the last use of a token could not be recorded'),
    )
  }
}
