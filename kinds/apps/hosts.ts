/** The public hosts and addresses of services, and the one rule of who owns a host (docs/ownership.md). */
import { dnsLabelMax } from '../../contract/limits.ts'
import { projectIdText } from '../../contract/fields/patterns.ts'
import { digest } from '../meta/digest.ts'
import type { App, AppSpec } from './kind.ts'

/** Where the platform gives hosts to services that name none (docs/reference/platform.md#auto-hosts). */
export interface AutoHosts {
  /** Hosts are `<app>-<project>[-<environment> unless production].<domain>`. */
  domain: string
  /** The port at which people reach the ingress; left out where it is the default port of the scheme. */
  port?: number
}

/** The host at which the service gets requests; '' when it has none. */
export function hostOf(name: string, spec: AppSpec, auto: AutoHosts | undefined): string {
  return spec.ingress.host !== '' || auto === undefined ? spec.ingress.host : `${autoLabel(name, spec)}.${auto.domain}`
}

/** The first label of the host that the platform gives to a service, whatever the domain. */
export function autoLabel(name: string, { project, environment }: Pick<AppSpec, 'project' | 'environment'>): string {
  return asLabel(`${name}-${project}${environment === 'production' ? '' : `-${environment}`}`)
}

/** How many characters of a label that is too long stay, before a dash and eight digits. */
const keptOfLabel = dnsLabelMax - 9

/**
 * A label of a host name has at most 63 characters (RFC 1035): a longer one is cut and ends in a digest of the whole.
 */
function asLabel(text: string): string {
  return text.length <= dnsLabelMax ? text : `${text.slice(0, keptOfLabel)}-${digest(text).slice(0, 8)}`
}

/** `http(s)://host[:port][/path]`; '' for a service without a public host. */
export const addressOf = (name: string, spec: AppSpec, auto: AutoHosts | undefined): string =>
  addressAt(hostOf(name, spec, auto), spec, auto)

function addressAt(host: string, spec: AppSpec, auto: AutoHosts | undefined): string {
  if (host === '') return ''
  const { path, tlsEnabled } = spec.ingress
  const given = spec.ingress.host === '' && auto?.port !== undefined ? `:${auto.port}` : ''
  return `${tlsEnabled ? 'https' : 'http'}://${host}${given}${path === '/' ? '' : path}`
}

/**
 * The address as callers see it: a host in the spec counts at once, a host that the platform gives once it was rolled
 * out.
 */
export function shownAddress({ metadata, spec, status }: App): string {
  return spec.ingress.host === '' ? (status?.url ?? '') : addressOf(metadata.name, spec, undefined)
}

type Place = Pick<AppSpec, 'project' | 'environment'>

/** A service that asks for a host. It need not be saved yet: its name and place give it the host of its own. */
export interface Asking {
  metadata: { name: string }
  spec: Place
}

export interface HostRules {
  /**
   * Where the platform gives hosts; undefined where that is not known: a host in the form of a given one then counts as
   * given under every domain.
   */
  auto: AutoHosts | undefined
  /** Hosts that no service may have: see `reservedHosts` in kinds/platform/address.ts. */
  reserved: readonly string[]
  /** The services, with their index by `hostKeys`. */
  services: { by: (index: 'host', key: string) => readonly App[] }
}

/**
 * Why a service does not get a host: the host is the platform's own, has the form of one that the platform gives to
 * another service, or belongs to another service.
 */
export type HostTrouble = 'platform' | 'given' | 'service'

/** A host that a service asks for and does not have. */
export interface LostHost {
  host: string
  trouble: HostTrouble
}

/** The part of the message after the host. It never names the owner, who may be in another project. */
export const hostTroubles: Readonly<Record<HostTrouble, string>> = {
  platform: 'belongs to the platform',
  given: 'is kept for another service',
  service: 'belongs to another service',
}

/** Every host that a spec names. */
export function hostsOf({ ingress }: AppSpec): string[] {
  return [ingress.host, ...ingress.rules.map((rule) => rule.host)].filter((host) => host !== '')
}

/** Every host at which the service would get requests: those in its spec, and the one that the platform gives. */
export function claimsOf({ metadata, spec }: Pick<App, 'metadata' | 'spec'>, auto: AutoHosts | undefined): string[] {
  return claimsWith(hostOf(metadata.name, spec, auto), spec)
}

const claimsWith = (host: string, spec: AppSpec): string[] =>
  [...new Set([host, ...hostsOf(spec)])].filter((each) => each !== '')

/** How a service is reached. */
export interface PublicAddress {
  /** The host at which it gets requests; '' when it has none. */
  host: string
  /** The service's address; '' without a public host. */
  url: string
  /** Every host at which it would get requests. */
  claims: string[]
}

export function publicAddressOf(
  { metadata, spec }: Pick<App, 'metadata' | 'spec'>,
  auto: AutoHosts | undefined,
): PublicAddress {
  const host = hostOf(metadata.name, spec, auto)
  return { host, url: addressAt(host, spec, auto), claims: claimsWith(host, spec) }
}

/**
 * The keys of a service in the index by host. The domain of given hosts is not known to the cache, so a given host is
 * indexed by its first label.
 */
export const hostKeys = ({ metadata, spec }: App): string[] => [
  ...new Set([...hostsOf(spec), autoLabel(metadata.name, spec)]),
]

/**
 * Why a service does not get a host; undefined when it gets it. The rules apply in this order:
 * 1. a host of the platform belongs to no service;
 * 2. a host in the form of those that the platform gives belongs to the service that it is given to, whether that
 *    service exists or not;
 * 3. any other host belongs to the service that it leads to already, else to the oldest service that is deployed.
 *
 * @param saved the record of the service that asks, when its spec has the host already; without it the service counts
 *   as the youngest
 * @param drafts whether drafts claim hosts, too, as they do when a caller saves a host
 */
export function hostTrouble(
  host: string,
  { metadata: { name }, spec }: Asking,
  rules: HostRules,
  saved?: App,
  drafts = false,
): HostTrouble | undefined {
  const { auto, reserved, services } = rules
  if (reserved.includes(host)) return 'platform'
  const label = labelOf(host)
  const given = isGiven(host, auto)
  if (given && label !== autoLabel(name, spec)) return 'given'
  // Another service whose spec names a host of the given form has no claim to it, even if it asked before the service
  // that the host is given to was made.
  const mayClaim = (other: App): boolean => !given || label === autoLabel(other.metadata.name, other.spec)
  const others = [...services.by('host', host), ...services.by('host', label)].filter(
    (other) => other.metadata.name !== name && claims(other, host, auto) && mayClaim(other),
  )
  const owner = ownerOfHost(host, saved === undefined ? others : [...others, saved], drafts)
  return owner === undefined || owner.metadata.name === name ? undefined : 'service'
}

/** The hosts among `hosts` that the service `asking` claims by its spec and does not get. */
export function lostHosts(asking: App, hosts: readonly string[], rules: HostRules): LostHost[] {
  return hosts.flatMap((host) => {
    const trouble = hostTrouble(host, asking, rules, asking)
    return trouble === undefined ? [] : [{ host, trouble }]
  })
}

/** The owner among the services that claim a host; a service that is being deleted claims nothing. */
function ownerOfHost(host: string, claimants: readonly App[], drafts = false): App | undefined {
  return claimants
    .filter((app) => (drafts || app.spec.deploy.enabled) && app.metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (rank(host, a) < rank(host, b) ? -1 : 1))[0]
}

/**
 * A service that has the host in its status ranks first: neither an older service nor an edit with kubectl takes a host
 * from the service that it leads to.
 */
const rank = (host: string, { metadata: { creationTimestamp = '', name }, status }: App): string =>
  `${(status?.hosts ?? [URL.parse(status?.url ?? '')?.hostname]).includes(host) ? 0 : 1} ${creationTimestamp} ${name}`

function claims(app: App, host: string, auto: AutoHosts | undefined): boolean {
  if (hostsOf(app.spec).includes(host)) return true
  return app.spec.ingress.host === '' && isUnder(host, auto) && labelOf(host) === autoLabel(app.metadata.name, app.spec)
}

const labelOf = (host: string): string => host.split('.', 1)[0] ?? ''

const isUnder = (host: string, auto: AutoHosts | undefined): boolean =>
  auto === undefined || host === `${labelOf(host)}.${auto.domain}`

/** Labels that the platform gives: with the ID of a project in them, or cut, with a digest at the end. */
const givenForm = new RegExp(`-${projectIdText}(-|$)|^.{${keptOfLabel}}-[0-9a-f]{8}$`)

const isGiven = (host: string, auto: AutoHosts | undefined): boolean =>
  isUnder(host, auto) && givenForm.test(labelOf(host))
