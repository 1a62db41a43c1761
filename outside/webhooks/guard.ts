/** Keeps webhooks off addresses they must not reach: asked when one is saved, and inside every connection, where it cannot be tricked. */

import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { reachOf } from './addresses.ts'

export interface GuardOptions {
  /** Whether private and loopback addresses may be reached. */
  allowPrivate: boolean
  /** All addresses of a name; the system's resolver unless a test has its own. */
  resolve?: (host: string) => Promise<readonly string[]>
}

export interface Guard {
  allows(address: string): boolean
  resolve(host: string): Promise<readonly string[]>
  /** For `http.request`: hands out addresses that are allowed, so what is connected to is what was checked (DNS rebinding). */
  readonly lookup: LookupFunction
}

/** The connection was not made, since the name leads to an address that is not allowed. */
export class AddressRefused extends Error {
  constructor() {
    super('the address is not allowed')
    this.name = 'AddressRefused'
  }
}

const savePatienceMs = 2_000

export function createGuard({ allowPrivate, resolve = resolveAll }: GuardOptions): Guard {
  const allows = (address: string) => {
    const reach = reachOf(address)
    return reach === 'public' || (reach === 'private' && allowPrivate)
  }
  const lookUp = callbackify(allowedAddresses)
  return {
    allows,
    resolve,
    lookup: (host, options, callback) =>
      lookUp(host, (error, addresses) => {
        const [first] = addresses ?? []
        if (error !== null || first === undefined) callback(error ?? new AddressRefused(), '', 0)
        else if (options.all === true) callback(null, addresses)
        else callback(null, first.address, first.family)
      }),
  }

  /** One forbidden address among several forbids the name: nobody has a good reason for such a mixture. */
  async function allowedAddresses(host: string): Promise<{ address: string; family: number }[]> {
    const addresses = await resolve(host)
    if (addresses.length === 0 || !addresses.every(allows)) throw new AddressRefused()
    return addresses.map((address) => ({ address, family: isIP(address) }))
  }
}

/**
 * Why a webhook may not have this URL; undefined when it may (spec, webhooks/save). A name that does not resolve within two
 * seconds passes: every connection asks again.
 */
export async function refusalOfUrl(text: string, guard: Pick<Guard, 'allows' | 'resolve'>): Promise<string | undefined> {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'url must be http or https'
  if (url.username !== '' || url.password !== '') return 'url must not hold a user name or password'
  const host = hostIn(url)
  if (/(^|\.)localhost\.?$/.test(host)) return 'url must not be localhost'
  const addresses = isIP(host) === 0 ? await resolveSoon(host, guard) : [host]
  return addresses.every((address) => guard.allows(address)) ? undefined : 'url must not be a private address'
}

/** The host as the connection takes it: IPv6 without brackets, numbers of any base as an IPv4 address (the URL parser does that). */
export const hostIn = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

async function resolveSoon(host: string, { resolve }: Pick<Guard, 'resolve'>): Promise<readonly string[]> {
  const late = AbortSignal.timeout(savePatienceMs)
  const gaveUp = new Promise<readonly string[]>((done) => late.addEventListener('abort', () => done([])))
  return Promise.race([resolve(host).catch(() => []), gaveUp])
}

async function resolveAll(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}
