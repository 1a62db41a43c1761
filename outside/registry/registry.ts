/**
 * Resolves a tag to its present digest at image registries (OCI distribution specification): a HEAD of its manifest,
 * with a login where the registry requires one.
 */
import { createHash } from 'node:crypto'
import type { Response } from 'undici'
import { type ImageReference, parseImage } from '../../kinds/apps/deploy/image.ts'
import { createAway } from './availability.ts'
import type { Login } from './challenge.ts'
import { discard, type Line, type LineOptions, openLine, readBody } from './http.ts'
import { isMirror, originOf, parsePrivate } from './private.ts'
import { authorize } from './token.ts'
import { defined } from '../../contract/defined.ts'

export type Meaning =
  | { digest: string }
  /** Why there is no digest: a sentence without private hosts, logins or tokens. */
  | { unknown: string }

export interface Registries {
  /**
   * The digest of the tag of a reference. Never throws and takes at most the time limit for each registry; a registry
   * that counts as away is skipped. `loginOf` is called only when a registry requires a login, and must not throw.
   */
  meaningOf(reference: string, loginOf: (registry: string) => Promise<Login | undefined>): Promise<Meaning>
}

export interface RegistrySettings extends Pick<LineOptions, 'resolve' | 'reach' | 'ca'> {
  /**
   * `http(s)://host:port` of a mirror, which comes before the registry of a reference, as on the nodes; plain HTTP and
   * a private address are allowed here.
   */
  mirror?: string
  /**
   * Networks, addresses and hosts whose registries may be called at private addresses, comma-separated; reserved
   * addresses are always forbidden.
   */
  privately?: string
  timeoutMs?: number
  /** The wait before a silent registry is pinged again, in the background. */
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
  const { timeoutMs = defaults.timeoutMs, againMs = defaults.againMs, now = Date.now, resolve, reach, ca } = settings
  const mirror = settings.mirror?.replace(/\/$/, '')
  const privately = parsePrivate(settings.privately ?? '')
  const played = { ...defined({ resolve, reach }), ca }
  const isNamed = (host: string) => isMirror(host, mirror) || privately.names(host)
  const lines: Lines = {
    open: ({ host }) => openLine({ ...played, allowPrivate: isNamed(host) || privately.covers }),
    openRealm: (realm, registry, registryIsPrivate) => {
      // Otherwise any registry could make svc fetch tokens in the private network and send them to that registry.
      const trusted = registryIsPrivate && (realm.hostname === registry.hostname || isNamed(realm.host))
      return openLine({
        ...played,
        allowPrivate: trusted && (isNamed(realm.host) || isNamed(registry.host) || privately.covers),
      })
    },
  }
  const away = createAway((origin) => ping(lines, origin, AbortSignal.timeout(timeoutMs)), { againMs, now })

  const ask = async (
    origin: string,
    image: ImageReference,
    loginOf: () => Promise<Login | undefined>,
  ): Promise<Meaning> => {
    const { host } = new URL(origin)
    if (!away.worthAsking(origin)) return { unknown: `the registry ${host} did not answer a moment ago` }
    try {
      const meaning = await askManifest(lines, origin, image, loginOf, AbortSignal.timeout(timeoutMs))
      away.answered(origin)
      return meaning
    } catch {
      away.silent(origin)
      // The same sentence for both: a caller who may name images must not learn which private names exist.
      return { unknown: `the registry ${host} does not answer, or is where svc may not ask` }
    }
  }
  return {
    async meaningOf(reference, loginOf) {
      const image = parseImage(reference)
      if (image === undefined) return { unknown: 'it is no image reference' }
      if (image.digest !== undefined) return { digest: image.digest }
      if (!URL.canParse(originOf(image.registry))) return { unknown: 'it is no image reference' }
      if (mirror !== undefined) {
        const mirrored = await ask(mirror, image, async () => undefined)
        if ('digest' in mirrored) return mirrored
      }
      return ask(originOf(image.registry), image, () => loginOf(image.registry))
    },
  }
}

interface Lines {
  open(registry: URL): Line
  openRealm(realm: URL, registry: URL, registryIsPrivate: boolean): Line
}

/** Resolves with any answer of the registry. */
async function ping(lines: Lines, origin: string, signal: AbortSignal): Promise<void> {
  const url = new URL(`${origin}/v2/`)
  const line = lines.open(url)
  try {
    const { response } = await line.ask(url, { method: 'GET', signal })
    await discard(response)
  } finally {
    await line.close()
  }
}

async function askManifest(
  lines: Lines,
  origin: string,
  image: ImageReference,
  loginOf: () => Promise<Login | undefined>,
  signal: AbortSignal,
): Promise<Meaning> {
  const url = new URL(`${origin}/v2/${image.repository}/manifests/${image.tag}`)
  const { host } = url
  const line = lines.open(url)
  const request = (method: 'GET' | 'HEAD', authorization?: string) =>
    line.ask(url, { method, signal, accept: manifestTypes, authorization })
  try {
    let authorization: string | undefined
    let { response, elsewhere } = await request('HEAD')
    await discard(response)
    // After a redirect to another host the challenge is not the registry's: its login must not go there.
    if (response.status === 401 && !elsewhere) {
      const openRealm = (realm: URL) => lines.openRealm(realm, url, line.reachedPrivate)
      authorization = await authorize(response.headers.get('www-authenticate') ?? '', {
        origin,
        openRealm,
        loginOf,
        signal,
      })
      if (authorization === undefined) return { unknown: `the registry ${host} wants a login` }
      ;({ response, elsewhere } = await request('HEAD', authorization))
      await discard(response)
    }
    const refusal = refusalOf(host, response.status)
    if (refusal !== undefined) return refusal
    const digest = response.headers.get('docker-content-digest') ?? ''
    if (digestPattern.test(digest)) return { digest }
    return await digestOfBody(host, (await request('GET', authorization)).response)
  } finally {
    await line.close()
  }
}

function refusalOf(host: string, status: number): Meaning | undefined {
  if (status === 404) return { unknown: `the registry ${host} has no such image` }
  if (status === 401 || status === 403) return { unknown: `the registry ${host} refuses the login` }
  return status === 200 ? undefined : { unknown: `the registry ${host} answered ${status}` }
}

/** The header is optional; the digest is that of the manifest's bytes. */
async function digestOfBody(host: string, response: Response): Promise<Meaning> {
  const refusal = refusalOf(host, response.status)
  if (refusal !== undefined) return refusal
  const manifest = await readBody(response, manifestBytesMax)
  return { digest: `sha256:${createHash('sha256').update(manifest).digest('hex')}` }
}
