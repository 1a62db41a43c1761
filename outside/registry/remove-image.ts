/** Removes images from registries (OCI distribution specification): a DELETE of the manifest, by its digest. */
import { defined } from '../../contract/defined.ts'
import type { Login } from './challenge.ts'
import { discard, type Line, type LineOptions, openLine } from './http.ts'
import { originOf, parsePrivate } from './private.ts'
import { authorize } from './token.ts'

export interface ImageAt {
  /** `host` or `host:port`. */
  registry: string
  repository: string
  /** The registry removes all tags of this digest with it. */
  digest: string
}

export type Removal =
  | 'removed'
  /** The image did not exist: harmless to repeat. */
  | 'gone'
  /** Why the registry will never remove it: a sentence without logins. */
  | { kept: string }

export interface ImageRemover {
  /** `login` is only sent to this registry and its token service. Throws when the registry does not answer. */
  remove(image: ImageAt, login: Login | undefined): Promise<Removal>
}

export interface ImageRemoverSettings extends Pick<LineOptions, 'resolve' | 'reach' | 'ca'> {
  /** `host:port` of registries that are reached by plain HTTP, also at private addresses. */
  plain: readonly string[]
  /** Networks, addresses and hosts of registries at private addresses, as for lookups of images. */
  privately?: string
  timeoutMs?: number
}

const defaultTimeoutMs = 10_000

export function createImageRemover(settings: ImageRemoverSettings): ImageRemover {
  const { plain, timeoutMs = defaultTimeoutMs, resolve, reach, ca } = settings
  const privately = parsePrivate(settings.privately ?? '')
  return {
    async remove({ registry, repository, digest }, login) {
      const isPlain = plain.includes(registry)
      const origin = isPlain ? `http://${registry}` : originOf(registry)
      const mayBePrivate = isPlain || privately.names(registry)
      const open = (): Line =>
        openLine({ ...defined({ resolve, reach }), ca, allowPrivate: mayBePrivate || privately.covers })
      const url = new URL(`${origin}/v2/${repository}/manifests/${digest}`)
      return removeManifest(open, url, login, AbortSignal.timeout(timeoutMs))
    },
  }
}

async function removeManifest(
  open: () => Line,
  url: URL,
  login: Login | undefined,
  signal: AbortSignal,
): Promise<Removal> {
  const line = open()
  try {
    const ask = async (authorization?: string) => {
      const { response, elsewhere } = await line.ask(url, { method: 'DELETE', signal, authorization })
      await discard(response)
      return { response, elsewhere }
    }
    const first = await ask()
    if (first.response.status !== 401 || first.elsewhere) return removalOf(url, first.response.status)
    const challenge = first.response.headers.get('www-authenticate') ?? ''
    const loginOf = async () => login
    const authorization = await authorize(challenge, { origin: url.origin, openRealm: open, loginOf, signal })
    if (authorization === undefined) return { kept: `the registry ${url.host} wants a login` }
    return removalOf(url, (await ask(authorization)).response.status)
  } finally {
    await line.close()
  }
}

function removalOf({ host }: URL, status: number): Removal {
  if (status === 404) return 'gone'
  if (status >= 200 && status < 300) return 'removed'
  if (status >= 500 || status === 429) throw new Error(`the registry ${host} answered ${status}`)
  if (status === 401 || status === 403) return { kept: `the login of the registry ${host} may not remove images` }
  return { kept: `the registry ${host} does not remove images (${status})` }
}
