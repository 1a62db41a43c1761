/** Which addresses count as one caller, and which as one neighbourhood. */
import ipaddr from 'ipaddr.js'

/** A home or a machine has a whole /64 of IPv6 addresses; IPv4 addresses count each. What is no address counts as it is written. */
export const callerAt = (address: string): string => prefixOf(address, { ipv4: 32, ipv6: 64 })

/** What one owner of addresses often has: an IPv4 /24, an IPv6 /48. */
export const networkOf = (address: string): string => prefixOf(address, { ipv4: 24, ipv6: 48 })

function prefixOf(text: string, bits: { readonly ipv4: number; readonly ipv6: number }): string {
  if (!ipaddr.isValid(text)) return text
  // `::ffff:192.0.2.1` is 192.0.2.1.
  const address = ipaddr.process(text)
  const kind = address.kind()
  const length = bits[kind]
  const Family = kind === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return `${Family.networkAddressFromCIDR(`${address.toString().replace(/%.*$/, '')}/${length}`).toString()}/${length}`
}
