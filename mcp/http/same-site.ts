/**
 * Which requests may come in by their Host and Origin: a page in a browser must not reach this server by a name that
 * its owner lets lead here (DNS rebinding).
 */
import { isIP } from 'node:net'
import { portMax } from '../../contract/limits.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

const loopbackNames = ['localhost', '127.0.0.1', '::1']

/** `8090`, `:8090`, `127.0.0.1:8090`, `[::1]:8090` or `host:8090`; undefined when the text is none of these. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:(?<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]*):)?(?<port>\d{1,5})$/.exec(text)
  const port = Number(match?.groups?.['port'])
  if (match === null || port > portMax) return undefined
  const host = bare(match.groups?.['host'] ?? '')
  return { host: host === '' ? '127.0.0.1' : host, port }
}

export const isLoopbackHost = (host: string): boolean =>
  loopbackNames.includes(host.toLowerCase()) || (isIP(host) === 4 && host.startsWith('127.'))

/** Judges a request by its two headers. */
export type SameSite = (host: string | undefined, origin: string | undefined) => boolean

/**
 * The name must be the one that the server listens at, a loopback name where it listens on this machine, or one of
 * `allowed`; a server that is reached from elsewhere may also be asked by any IP address, which no other site can own.
 * An origin, which only browsers send, must be of the same host.
 */
export function sameSite({ host: bound }: ListenAddress, allowed: readonly string[]): SameSite {
  const names = new Set([...allowed, bound, ...(isLoopbackHost(bound) ? loopbackNames : [])].map(lower))
  const isOurs = (host: string | undefined): boolean =>
    host !== undefined && (names.has(host) || (!isLoopbackHost(bound) && isIP(host) !== 0))
  return (host, origin) =>
    isOurs(hostName(`http://${host ?? ''}`)) && (origin === undefined || isOurs(hostName(origin)))
}

function hostName(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname, username } = new URL(url)
  return username === '' ? bare(hostname) : undefined
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')
const lower = (name: string): string => name.toLowerCase()
