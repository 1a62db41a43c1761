/** The URLs that a webhook may be saved with: those with allowed addresses, as far as they are known by then. */
import { isIP } from 'node:net'
import { type Guard, hostIn } from '../guard.ts'

const saveWaitMaxMs = 2_000

/**
 * Why a webhook may not have this URL; undefined when it may (docs/reference/projects.md#addresses-of-a-webhook). A
 * name that does not resolve within two seconds passes: every connection resolves it again.
 */
export async function refusalOfUrl(
  text: string,
  guard: Pick<Guard, 'allows' | 'resolve'>,
): Promise<string | undefined> {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'url must be http or https'
  if (url.username !== '' || url.password !== '') return 'url must not hold a user name or password'
  const host = hostIn(url)
  if (/(^|\.)localhost\.?$/.test(host)) return 'url must not be localhost'
  const addresses = isIP(host) === 0 ? await resolveSoon(host, guard) : [host]
  return addresses.every((address) => guard.allows(address)) ? undefined : 'url must not be a private address'
}

async function resolveSoon(host: string, { resolve }: Pick<Guard, 'resolve'>): Promise<readonly string[]> {
  const late = AbortSignal.timeout(saveWaitMaxMs)
  const timedOut = new Promise<readonly string[]>((done) => late.addEventListener('abort', () => done([])))
  return Promise.race([resolve(host).catch(() => []), timedOut])
}
