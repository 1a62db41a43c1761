/**
 * Classes of the addresses that users let svc connect to: reachable from the internet, only in the own network, or
 * neither.
 */
import ipaddr from 'ipaddr.js'

/** `private`: reachable when the install allows it; `reserved`: never. */
export type Reach = 'public' | 'private' | 'reserved'

const privateRanges: ReadonlySet<string> = new Set(['loopback', 'private', 'carrierGradeNat', 'uniqueLocal'])

/** Metadata services of clouds, which answer with credentials; those in 169.254.0.0/16 count as link-local. */
const metadata: ReadonlySet<string> = new Set(['100.100.100.200', '168.63.129.16', 'fd00:ec2::254'])

/** Today's internet is 2000::/3 (IANA): other addresses are unassigned or old notations of IPv4. */
const isGlobal = (ip: ipaddr.IPv6): boolean => (ip.parts[0] ?? 0) >> 13 === 1

/** The class of an address from a resolver or a parsed URL, without brackets; any other text is `reserved`. */
export function reachOf(address: string): Reach {
  if (!ipaddr.isValid(address)) return 'reserved'
  const ip = ipaddr.process(address) // an IPv4 address mapped into IPv6 has the class of the IPv4 address
  if (metadata.has(ip.toString())) return 'reserved'
  const range = ip.range()
  if (privateRanges.has(range)) return 'private'
  if (ip instanceof ipaddr.IPv4) return range === 'unicast' ? 'public' : 'reserved'
  // NAT64: networks without IPv4 reach the whole of it through this prefix.
  if (range === 'rfc6052') return reachOf(ip.toByteArray().slice(12).join('.'))
  return range === 'unicast' && isGlobal(ip) ? 'public' : 'reserved'
}
