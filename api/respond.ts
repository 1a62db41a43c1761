/** The HTTP side of what a handler may say beside its answer, and of where a request came from. */
import type { Context } from 'koa'
import type { Origin, Respond } from './handler.ts'

/** Cookies are HttpOnly, SameSite=Lax, and Secure unless the host is this machine (decisions: Sign-in). */
export function respondTo(ctx: Context, { insecureCookie }: { insecureCookie: boolean }): Respond {
  return {
    header: (name, value) => ctx.set(name, value),
    setCookie(name, value, { maxAgeSeconds }) {
      const parts = [`${name}=${value}`, 'Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax']
      if (!insecureCookie && !isLoopback(ctx)) parts.push('Secure')
      ctx.append('Set-Cookie', parts.join('; '))
    },
  }
}

/** The peer, and behind trusted proxies the last address that is not one of them. */
export function originOf(ctx: Context, edge: { trustedProxies: readonly string[]; insecureCookie: boolean }): Origin {
  const peer = plainAddress(ctx.req.socket.remoteAddress ?? '')
  const scheme = edge.insecureCookie || isLoopback(ctx) ? 'http' : 'https'
  const address = forwardedFor(peer, ctx.get('x-forwarded-for'), edge.trustedProxies)
  return { peer, address, baseUrl: `${scheme}://${ctx.host}` }
}

function forwardedFor(peer: string, header: string, trusted: readonly string[]): string {
  const hops = [
    ...header
      .split(',')
      .map((hop) => plainAddress(hop.trim()))
      .filter((hop) => hop !== ''),
    peer,
  ]
  while (hops.length > 1 && trusted.includes(hops.at(-1) ?? '')) hops.pop()
  return hops.at(-1) ?? peer
}

/** `::ffff:127.0.0.1` is the same peer as `127.0.0.1`. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')

function isLoopback(ctx: Context): boolean {
  const host = ctx.hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
