/**
 * Kinds of addresses that users have svc connect to: what the internet reaches, what only the own network does, and
 * what is neither.
 */

import ipaddr from 'ipaddr.js'

/** `private`: reachable when the install allows it; `reserved`: never. */
export type Reach = 'public' | 'private' | 'reserved'

const privateRanges: ReadonlySet<string> = new Set(['loopback', 'private', 'carrierGradeNat', 'uniqueLocal'])

/** Metadata services of clouds, which answer with credentials; those in 169.254.0.0/16 count as link-local. */
const metadata: ReadonlySet<string> = new Set(['100.100.100.200', '168.63.129.16', 'fd00:ec2::254'])

/** The internet of today is 2000::/3 (IANA): what lies outside is unassigned or an old way to write IPv4. */
const isGlobal = (ip: ipaddr.IPv6): boolean => (ip.parts[0] ?? 0) >> 13 === 1

/** Of an address as a resolver or a parsed URL gives it, without brackets; anything else is `reserved`. */
export function reachOf(address: string): Reach {
  if (!ipaddr.isValid(address)) return 'reserved'
  const ip = ipaddr.process(address) // an IPv4 address mapped into IPv6 is judged as IPv4
  if (metadata.has(ip.toString())) return 'reserved'
  const range = ip.range()
  if (privateRanges.has(range)) return 'private'
  if (ip instanceof ipaddr.IPv4) return range === 'unicast' ? 'public' : 'reserved'
  // NAT64: networks without IPv4 reach the whole of it through this prefix.
  if (range === 'rfc6052') return reachOf(ip.toByteArray().slice(12).join('.'))
  return range === 'unicast' && isGlobal(ip) ? 'public' : 'reserved'
}
