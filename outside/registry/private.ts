/** The registries that may be called at private addresses: those that an administrator names, and the mirror. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface PrivateRegistries {
  /** Whether a host with its port, as in image references, is listed; a host without a port means port 443. */
  names(host: string): boolean
  /** Whether an address is in one of the networks. */
  covers(address: string): boolean
}

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)(:\d{1,5})?$/

/** `10.20.0.0/16, registry.example.com:5000`: networks, addresses and hosts; throws for any other text. */
export function parsePrivate(text: string): PrivateRegistries {
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
  const networks = entries.map(networkOf)
  const hosts = new Set(entries.filter((_, index) => networks[index] === undefined))
  const nonsense = [...hosts].find((host) => !hostPattern.test(host))
  if (nonsense !== undefined)
    throw new Error(`SVC_REGISTRY_PRIVATE: ${JSON.stringify(nonsense)} is no network, address or host`)
  return {
    names: (host) => hosts.has(host.toLowerCase()),
    covers: (address) =>
      ipaddr.isValid(address) &&
      networks.some((network) => network !== undefined && within(ipaddr.process(address), network)),
  }
}

function networkOf(entry: string): Network | undefined {
  if (isIP(entry) !== 0) {
    const address = ipaddr.process(entry)
    return [address, address instanceof ipaddr.IPv4 ? 32 : 128]
  }
  return ipaddr.isValidCIDR(entry) ? ipaddr.parseCIDR(entry) : undefined
}

const within = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match([network, bits])

/** Loopback names and addresses, with or without a port. */
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/

/** Plain HTTP for loopback only: logins and images leave this machine encrypted. */
export function originOf(registry: string): string {
  if (registry === 'docker.io') return 'https://registry-1.docker.io'
  return `${loopback.test(registry) ? 'http' : 'https'}://${registry}`
}

/** Whether a registry has the mirror's host; all loopback names count as the same host. */
export function isMirror(host: string, mirror: string | undefined): boolean {
  if (mirror === undefined) return false
  const asked = (text: string) => (loopback.test(text) ? text.replace(loopback, 'localhost$2') : text)
  return asked(host) === asked(new URL(mirror).host)
}
