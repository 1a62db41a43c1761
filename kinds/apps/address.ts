/** The public host and address of a service: its own, or the one that the platform gives it. */

import { digest } from '../meta/digest.ts'
import type { App, AppSpec } from './kind.ts'

/** Where the platform gives hosts to services that name none (docs/reference/platform.md#auto-hosts). */
export interface AutoHosts {
  /** Hosts are `<app>-<project>[-<environment> unless production].<domain>`. */
  domain: string
  /** The port people reach the ingress at, unless it is the scheme's own. */
  port?: number
}

/** The host that requests come in for; '' when the service has none. */
export function hostOf(name: string, spec: AppSpec, auto: AutoHosts | undefined): string {
  return spec.ingress.host !== '' || auto === undefined ? spec.ingress.host : `${autoLabel(name, spec)}.${auto.domain}`
}

/** The first label of the host that the platform gives, under whatever domain. */
export function autoLabel(name: string, { project, environment }: Pick<AppSpec, 'project' | 'environment'>): string {
  return asLabel(`${name}-${project}${environment === 'production' ? '' : `-${environment}`}`)
}

const labelMax = 63

/**
 * A part of a host name has at most 63 characters (RFC 1035); a longer one keeps its beginning and differs by its end.
 */
function asLabel(text: string): string {
  return text.length <= labelMax ? text : `${text.slice(0, labelMax - 9)}-${digest(text).slice(0, 8)}`
}

/** `http(s)://host[:port][/path]`; '' for a service without a public host. */
export function addressOf(name: string, spec: AppSpec, auto: AutoHosts | undefined): string {
  const host = hostOf(name, spec, auto)
  if (host === '') return ''
  const { path, tlsEnabled } = spec.ingress
  const given = spec.ingress.host === '' && auto?.port !== undefined ? `:${auto.port}` : ''
  return `${tlsEnabled ? 'https' : 'http'}://${host}${given}${path === '/' ? '' : path}`
}

/**
 * The address as callers see it: a host of its own counts at once, one given by the platform once it was rolled out.
 */
export function shownAddress({ metadata, spec, status }: App): string {
  return spec.ingress.host === '' ? (status?.url ?? '') : addressOf(metadata.name, spec, undefined)
}
