/**
 * Keeps calls to addresses that users name off what they must not reach: judged inside every connection, where it
 * cannot be tricked.
 */

import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { type Reach, reachOf } from './addresses.ts'

export interface GuardOptions {
  /** Whether private and loopback addresses may be reached: all, none, or those that the predicate accepts. */
  allowPrivate: boolean | ((address: string) => boolean)
  /** All addresses of a name; the system's resolver unless a test replaces it. */
  resolve?: (host: string) => Promise<readonly string[]>
  /** What an address is; a test plays others on loopback, where alone it sends anything. */
  reach?: (address: string) => Reach
}

export interface Guard {
  allows(address: string): boolean
  resolve(host: string): Promise<readonly string[]>
  /**
   * For `http.request`: hands out addresses that are allowed, so what is connected to is what was checked (DNS
   * rebinding).
   */
  readonly lookup: LookupFunction
}

/** The connection was not made, since the name leads to an address that is not allowed. */
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

  /** One forbidden address among several forbids the name: such a mixture has no honest use. */
  async function allowedAddresses(host: string): Promise<{ address: string; family: number }[]> {
    const addresses = await resolve(host)
    if (addresses.length === 0 || !addresses.every(allows)) throw new AddressRefused()
    return addresses.map((address) => ({ address, family: isIP(address) }))
  }
}

/**
 * The host as the connection takes it: IPv6 without brackets, numbers of any base as an IPv4 address (the URL parser
 * does that).
 */
export const hostIn = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

async function resolveAll(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}
