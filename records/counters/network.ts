/** Which addresses count as one caller, and which as one neighbourhood. */
import ipaddr from 'ipaddr.js'

/** An address and how many of its first bits count. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** `10.42.0.0/16`, or an address for itself alone; undefined for anything else. */
export function networkIn(text: string): Network | undefined {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text)
    // Short forms such as `10.42` and `127.1` are rather mistakes.
    if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined
    const address = ipaddr.process(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  } catch {
    return undefined // it throws for what it cannot read
  }
}

export function isIn(networks: readonly Network[], text: string): boolean {
  if (networks.length === 0 || !ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return networks.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
}

/**
 * A home or a machine has a whole /64 of IPv6 addresses; IPv4 addresses count each. What is no address counts as it is
 * written.
 */
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
