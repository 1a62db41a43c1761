/** Looks a host up in the DNS without a cache, at the machine's name servers or those of `SVC_DNS_SERVERS`. */
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

export type Found = { addresses: string[] } | { problem: string }

export interface NameLookup {
  /** IPv4 and IPv6 addresses, following aliases; none for a name that does not exist. Never throws. */
  find(host: string): Promise<Found>
}

const timeoutMs = 2_000
/** The name, or this kind of address of it, does not exist. */
const absent = new Set(['ENOTFOUND', 'ENODATA'])

/** @param servers `SVC_DNS_SERVERS`: `address` or `address:port`, comma-separated; empty asks those of the machine */
export function createLookup(servers = ''): NameLookup {
  const named = servers
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '')
  return {
    async find(host) {
      // One resolver for each lookup: cancelling it ends no other lookup, and it reads the machine's present settings.
      const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
      if (named.length > 0) resolver.setServers(named)
      const answers = await Promise.all([ask(() => resolver.resolve4(host)), ask(() => resolver.resolve6(host))])
      const addresses = answers.flatMap((answer) => ('addresses' in answer ? answer.addresses : []))
      const failed = answers.find((answer) => 'problem' in answer)
      return addresses.length === 0 && failed !== undefined ? failed : { addresses }
    },
  }
}

async function ask(question: () => Promise<string[]>): Promise<Found> {
  try {
    return { addresses: await question() }
  } catch (error) {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
    if (absent.has(code)) return { addresses: [] }
    return {
      problem:
        code === 'ETIMEOUT' || code === 'ECONNREFUSED'
          ? 'the name server does not answer'
          : `the name server answers ${code || 'nothing'}`,
    }
  }
}

/** The lookup of connections: a probe connects to the addresses that `find` returned. */
export function connectionLookup({ find }: NameLookup): LookupFunction {
  return (host, options, callback) => {
    const answer = async () => {
      const found = await find(host)
      const family =
        options.family === 4 || options.family === 'IPv4'
          ? 4
          : options.family === 6 || options.family === 'IPv6'
            ? 6
            : 0
      const all = ('addresses' in found ? found.addresses : [])
        .map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
        .filter((entry) => family === 0 || entry.family === family)
      const [first] = all
      if (first === undefined)
        callback(Object.assign(new Error(`${host} does not resolve`), { code: 'ENOTFOUND' }), '', 0)
      else if (options.all === true) callback(null, all)
      else callback(null, first.address, first.family)
    }
    void answer()
  }
}
