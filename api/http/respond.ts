/** The HTTP side of a handler's `Respond` and `Origin`. */
import type { Context } from 'koa'
import { deviceCookieName } from '../../records/auth/device-cookie.ts'
import { isIn, type Network } from '../../records/counters/network.ts'
import type { Origin, Respond } from '../context/handler.ts'
import { auditAlso } from './middleware/request-log.ts'

/** The configured facts about the network path to this process. */
export interface Way {
  readonly trustedProxies: readonly Network[]
  /** Leave `Secure` off cookies: TLS ends nowhere before this process. */
  readonly insecureCookie: boolean
  /** The configured address of the dashboard, which is always https. */
  readonly dashboardUrl: () => string | undefined
  /** Called with the peer of a request whose `X-Forwarded-For` is ignored, since the peer is no trusted proxy. */
  readonly onDistrusted: (peer: string) => void
}

/**
 * Cookies are HttpOnly, SameSite=Lax and Secure. A proxy may send any `Host` and run on this machine, so `Secure` is
 * left off only where the configuration has it so, or where no dashboard address is configured and the request came
 * from this machine itself.
 */
export function respondTo(ctx: Context, way: Way): Respond {
  return {
    header: (name, value) => ctx.set(name, value),
    audit: (resource) => auditAlso(ctx, resource),
    setCookie(name, value, { maxAgeSeconds }) {
      const parts = [`${name}=${value}`, 'Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax']
      if (!isPlain(ctx, way)) parts.push('Secure')
      ctx.append('Set-Cookie', parts.join('; '))
    },
  }
}

/** The peer of the connection, and as the address the last hop of `X-Forwarded-For` that is no trusted proxy. */
export function originOf(ctx: Context, way: Way): Origin {
  const peer = plainAddress(ctx.req.socket.remoteAddress ?? '')
  const forwarded = ctx.get('x-forwarded-for')
  if (forwarded !== '' && !isIn(way.trustedProxies, peer)) way.onDistrusted(peer)
  return {
    peer,
    address: forwardedFor(peer, forwarded, way.trustedProxies),
    deviceCookie: ctx.cookies.get(deviceCookieName),
    baseUrl: `${isPlain(ctx, way) ? 'http' : 'https'}://${ctx.host}`,
  }
}

function forwardedFor(peer: string, header: string, trusted: readonly Network[]): string {
  const hops = [
    ...header
      .split(',')
      .map((hop) => plainAddress(hop.trim()))
      .filter((hop) => hop !== ''),
    peer,
  ]
  while (hops.length > 1 && isIn(trusted, hops.at(-1) ?? '')) hops.pop()
  return hops.at(-1) ?? peer
}

/** `::ffff:127.0.0.1` is the same peer as `127.0.0.1`. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')

const isPlain = (ctx: Context, way: Way): boolean =>
  way.insecureCookie || (way.dashboardUrl() === undefined && isFromHere(ctx))

const forwardingHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const

/**
 * Whether the request was made on this machine and to it, as far as that can be seen: peer and `Host` are loopback, and
 * no header of a proxy is there.
 */
export function isFromHere(ctx: Context): boolean {
  const peer = plainAddress(ctx.req.socket.remoteAddress ?? '')
  return (
    isLoopback(peer) &&
    isLoopback(ctx.hostname.replace(/^\[|\]$/g, '')) &&
    forwardingHeaders.every((name) => ctx.get(name) === '')
  )
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
