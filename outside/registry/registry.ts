/** Asks image registries what a tag means right now (OCI distribution specification): a HEAD of its manifest, logged in where asked to. */

import { createHash } from 'node:crypto'
import { type ImageReference, parseImage } from '../../kinds/apps/image-reference.ts'
import { createAway } from './away.ts'
import { basic, type Login, parseChallenge } from './challenge.ts'

export type Meaning =
  | { digest: string }
  /** Why nobody knows: a sentence without addresses of tokens or logins. */
  | { unknown: string }

export interface Registries {
  /**
   * The digest that the tag of a reference names. Never throws and takes at most the time limit for each registry asked; one that
   * was silent a moment ago is not waited for again. `loginOf` is asked only when a registry wants a login, and must not throw.
   */
  meaningOf(reference: string, loginOf: (registry: string) => Promise<Login | undefined>): Promise<Meaning>
}

export interface RegistrySettings {
  /** `http(s)://host:port` asked before the registry that a reference names, as the nodes do; plain HTTP is taken as given here. */
  mirror?: string
  timeoutMs?: number
  /** A silent registry is asked again, in the background, after this long. */
  againMs?: number
  now?: () => number
}

const defaults = { timeoutMs: 2_000, againMs: 30_000 }
const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')
const manifestBytesMax = 4 * 1024 * 1024
const digestPattern = /^sha256:[0-9a-f]{64}$/

export function createRegistries(settings: RegistrySettings = {}): Registries {
  const { timeoutMs = defaults.timeoutMs, againMs = defaults.againMs, now = Date.now } = settings
  const ping = async (origin: string) => discard(await fetch(`${origin}/v2/`, { signal: AbortSignal.timeout(timeoutMs) }))
  const away = createAway(ping, { againMs, now })
  const mirror = settings.mirror?.replace(/\/$/, '')

  const ask = async (origin: string, image: ImageReference, loginOf: () => Promise<Login | undefined>): Promise<Meaning> => {
    const host = new URL(origin).host
    if (!away.worthAsking(origin)) return { unknown: `the registry ${host} did not answer a moment ago` }
    try {
      const meaning = await askManifest(origin, image, loginOf, AbortSignal.timeout(timeoutMs))
      away.answered(origin)
      return meaning
    } catch {
      away.silent(origin)
      return { unknown: `the registry ${host} does not answer` }
    }
  }
  return {
    async meaningOf(reference, loginOf) {
      const image = parseImage(reference)
      if (image === undefined) return { unknown: 'it is no image reference' }
      if (image.digest !== undefined) return { digest: image.digest }
      if (mirror !== undefined) {
        const mirrored = await ask(mirror, image, async () => undefined)
        if ('digest' in mirrored) return mirrored
      }
      return ask(originOf(image.registry), image, () => loginOf(image.registry))
    },
  }
}

/** Plain HTTP for this machine only; what a login or an image is worth goes nowhere unencrypted. */
function originOf(registry: string): string {
  if (registry === 'docker.io') return 'https://registry-1.docker.io'
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(registry)
  return `${loopback ? 'http' : 'https'}://${registry}`
}

async function askManifest(origin: string, image: ImageReference, loginOf: () => Promise<Login | undefined>, signal: AbortSignal): Promise<Meaning> {
  const { host } = new URL(origin)
  const url = `${origin}/v2/${image.repository}/manifests/${image.tag}`
  const request = (method: string, authorization: string | undefined) =>
    fetch(url, { method, signal, headers: { accept: manifestTypes, ...(authorization === undefined ? {} : { authorization }) } })
  let authorization: string | undefined
  let answer = await request('HEAD', undefined)
  if (answer.status === 401) {
    authorization = await authorize(answer.headers.get('www-authenticate') ?? '', origin, loginOf, signal)
    if (authorization === undefined) return { unknown: `the registry ${host} wants a login` }
    await discard(answer)
    answer = await request('HEAD', authorization)
  }
  await discard(answer)
  if (answer.status === 404) return { unknown: `the registry ${host} has no such image` }
  if (answer.status === 401 || answer.status === 403) return { unknown: `the registry ${host} refuses the login` }
  if (!answer.ok) return { unknown: `the registry ${host} answered ${answer.status}` }
  const told = answer.headers.get('docker-content-digest') ?? ''
  if (digestPattern.test(told)) return { digest: told }
  return digestOfBody(host, await request('GET', authorization))
}

/** Registries may leave the header out; the digest is that of the manifest's bytes. */
async function digestOfBody(host: string, answer: Response): Promise<Meaning> {
  const hash = createHash('sha256')
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | null = answer.body
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > manifestBytesMax) return { unknown: `the registry ${host} answered with more than a manifest` }
    hash.update(chunk)
  }
  return answer.ok ? { digest: `sha256:${hash.digest('hex')}` } : { unknown: `the registry ${host} answered ${answer.status}` }
}

/** What to send as Authorization; undefined when nothing will do. */
async function authorize(header: string, origin: string, loginOf: () => Promise<Login | undefined>, signal: AbortSignal): Promise<string | undefined> {
  const challenge = parseChallenge(header)
  if (challenge === undefined) return undefined
  const login = await loginOf()
  if (challenge.scheme === 'basic') return login === undefined ? undefined : basic(login)
  const realm = URL.canParse(challenge.realm) ? new URL(challenge.realm) : undefined
  // A registry on the way there may be anybody's, but a token is fetched without encryption only where the registry itself is.
  if (realm === undefined || (realm.protocol !== 'https:' && realm.hostname !== new URL(origin).hostname)) return undefined
  if (realm.protocol === 'http:' && origin.startsWith('https:')) return undefined
  if (challenge.service !== undefined) realm.searchParams.set('service', challenge.service)
  if (challenge.scope !== undefined) realm.searchParams.set('scope', challenge.scope)
  const answer = await fetch(realm, { signal, ...(login === undefined ? {} : { headers: { authorization: basic(login) } }) })
  if (!answer.ok) {
    await discard(answer)
    return undefined
  }
  const body: unknown = await answer.json()
  const token = typeof body === 'object' && body !== null ? tokenIn({ ...body }) : undefined
  return token === undefined ? undefined : `Bearer ${token}`
}

function tokenIn(body: Record<string, unknown>): string | undefined {
  const token = body['token'] ?? body['access_token']
  return typeof token === 'string' ? token : undefined
}

/** An unread body would keep its connection. */
async function discard(answer: Response): Promise<void> {
  await answer.body?.cancel()
}
