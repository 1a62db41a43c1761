/** Which addresses count as one caller, and which as one network. */
import ipaddr from 'ipaddr.js'

/** An address and the length of its prefix in bits. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** `10.42.0.0/16`, or a single address; undefined for any other text. */
export function networkIn(text: string): Network | undefined {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text)
    // Short forms such as `10.42` and `127.1` are more likely mistakes.
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
 * The prefix that counts as one caller: a home or a machine has a whole /64 of IPv6 addresses, while each IPv4 address
 * counts. A text that is no address stays as it is.
 */
export const callerAt = (address: string): string => prefixOf(address, { ipv4: 32, ipv6: 64 })

/** The prefix that one owner often has: an IPv4 /24, an IPv6 /48. */
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
