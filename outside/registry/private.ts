/** Which registries may be asked at private addresses: those that an administrator names, and the mirror. */

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface PrivateRegistries {
  /** Of a host with its port, as image references name it; a host without one stands for port 443. */
  names(host: string): boolean
  /** Of an address in one of the networks. */
  covers(address: string): boolean
}

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)(:\d{1,5})?$/

/** `10.20.0.0/16, registry.example.com:5000`: networks, addresses and hosts; throws for what is none of them. */
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

/** Names of this machine and its addresses, with a port or without one. */
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/

/** Plain HTTP for this machine only; what a login or an image is worth goes nowhere unencrypted. */
export function originOf(registry: string): string {
  if (registry === 'docker.io') return 'https://registry-1.docker.io'
  return `${loopback.test(registry) ? 'http' : 'https'}://${registry}`
}

/** Whether a registry is the mirror by its host; all names of this machine are one. */
export function isMirror(host: string, mirror: string | undefined): boolean {
  if (mirror === undefined) return false
  const asked = (text: string) => (loopback.test(text) ? text.replace(loopback, 'localhost$2') : text)
  return asked(host) === asked(new URL(mirror).host)
}
