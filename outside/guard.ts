/** Restricts calls to addresses that users name: each connection is checked itself, which cannot be bypassed. */
import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { type Reach, reachOf } from './addresses.ts'

export interface GuardOptions {
  /** Whether private and loopback addresses are allowed: all, none, or those that the predicate accepts. */
  allowPrivate: boolean | ((address: string) => boolean)
  /** All addresses of a name; the system's resolver unless a test replaces it. */
  resolve?: (host: string) => Promise<readonly string[]>
  /** The class of an address; a test replaces it, with all its connections on loopback. */
  reach?: (address: string) => Reach
}

export interface Guard {
  allows(address: string): boolean
  resolve(host: string): Promise<readonly string[]>
  /**
   * For `http.request`: returns only allowed addresses, so the checked address is the connected one (DNS rebinding).
   */
  readonly lookup: LookupFunction
}

/** The connection was not made, since the name resolves to a forbidden address. */
export class AddressRefused extends Error {
  constructor() {
    super('the address is not allowed')
    this.name = 'AddressRefused'
  }
}

export function createGuard({ allowPrivate, resolve = resolveAll, reach = reachOf }: GuardOptions): Guard {
  const allowsPrivate = typeof allowPrivate === 'function' ? allowPrivate : () => allowPrivate
  const allows = (address: string) => {
    const found = reach(address)
    return found === 'public' || (found === 'private' && allowsPrivate(address))
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

  /** One forbidden address among several forbids the name: such a mixture has no legitimate use. */
  async function allowedAddresses(host: string): Promise<{ address: string; family: number }[]> {
    const addresses = await resolve(host)
    if (addresses.length === 0 || !addresses.every(allows)) throw new AddressRefused()
    return addresses.map((address) => ({ address, family: isIP(address) }))
  }
}

/**
 * The host in the form for connections: IPv6 without brackets, numbers of any base as an IPv4 address (the URL parser
 * does that).
 */
export const hostIn = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/** From the system's resolver. */
export async function resolveAll(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}
