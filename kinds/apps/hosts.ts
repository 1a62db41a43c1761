/** The public hosts and addresses of services, and the one rule of who owns a host (docs/ownership.md). */
import { dnsLabelMax } from '../../contract/limits.ts'
import { projectIdText } from '../../contract/fields/patterns.ts'
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

/** What stays of a label that is cut, before a dash and eight digits. */
const keptOfLabel = dnsLabelMax - 9

/**
 * A part of a host name has at most 63 characters (RFC 1035); a longer one keeps its beginning and differs by its end.
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
 * The address as callers see it: a host of its own counts at once, one given by the platform once it was rolled out.
 */
export function shownAddress({ metadata, spec, status }: App): string {
  return spec.ingress.host === '' ? (status?.url ?? '') : addressOf(metadata.name, spec, undefined)
}

type Place = Pick<AppSpec, 'project' | 'environment'>

/** Who asks for a host: a service by what gives it its own, which need not be saved yet. */
export interface Asking {
  metadata: { name: string }
  spec: Place
}

export interface HostRules {
  /**
   * Where the platform gives hosts; undefined where that is not known, and then their form counts under every domain.
   */
  auto: AutoHosts | undefined
  /** No service's: see `reservedHosts` in kinds/platform/address.ts. */
  reserved: readonly string[]
  /** The services, with their index by `hostKeys`. */
  services: { by: (index: 'host', key: string) => readonly App[] }
}

/**
 * Why a host is not the service's: it is the platform's own, it has the form of one that the platform gives, or another
 * service has it.
 */
export type HostTrouble = 'platform' | 'given' | 'service'

/** A host that a service asks for and does not have. */
export interface LostHost {
  host: string
  trouble: HostTrouble
}

/** What a waiting service says; never whose the host is, which may be another project's. */
export const hostTroubles: Readonly<Record<HostTrouble, string>> = {
  platform: 'belongs to the platform',
  given: 'is kept for another service',
  service: 'belongs to another service',
}

/** Every host that a spec names. */
export function hostsOf({ ingress }: AppSpec): string[] {
  return [ingress.host, ...ingress.rules.map((rule) => rule.host)].filter((host) => host !== '')
}

/** Every host that requests would come in for: those that the spec names, and the one that the platform gives. */
export function claimsOf({ metadata, spec }: Pick<App, 'metadata' | 'spec'>, auto: AutoHosts | undefined): string[] {
  return claimsWith(hostOf(metadata.name, spec, auto), spec)
}

const claimsWith = (host: string, spec: AppSpec): string[] =>
  [...new Set([host, ...hostsOf(spec)])].filter((each) => each !== '')

/** How a service is reached. */
export interface PublicAddress {
  /** The host that requests come in for; '' when it has none. */
  host: string
  /** The service's address; '' without a public host. */
  url: string
  /** Every host that requests would come in for. */
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
 * For the index of services by host. The domain of given hosts is not known where records are kept, so of these it has
 * the first label.
 */
export const hostKeys = ({ metadata, spec }: App): string[] => [
  ...new Set([...hostsOf(spec), autoLabel(metadata.name, spec)]),
]

/**
 * Why a service does not get a host; undefined when it gets it. Asked in this order:
 * 1. a host of the platform belongs to no service;
 * 2. a host in the form of those that the platform gives belongs to the service that it is given to, made already or
 *    not;
 * 3. any other host belongs to the service that it leads to already, else to the oldest service that is deployed.
 *
 * @param saved the record of the service that asks, when it names the host already; without it the service counts as
 *   the youngest
 * @param drafts whether services that are not deployed claim something, as they do when one is saved
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
  // Another service that asks for a host that is given has no claim to it, even where it asked before that service was
  // made.
  const mayClaim = (other: App): boolean => !given || label === autoLabel(other.metadata.name, other.spec)
  const others = [...services.by('host', host), ...services.by('host', label)].filter(
    (other) => other.metadata.name !== name && claims(other, host, auto) && mayClaim(other),
  )
  const owner = ownerOfHost(host, saved === undefined ? others : [...others, saved], drafts)
  return owner === undefined || owner.metadata.name === name ? undefined : 'service'
}

/** Hosts that a service claims and that are another's; `asking` has the spec that claims them. */
export function lostHosts(asking: App, hosts: readonly string[], rules: HostRules): LostHost[] {
  return hosts.flatMap((host) => {
    const trouble = hostTrouble(host, asking, rules, asking)
    return trouble === undefined ? [] : [{ host, trouble }]
  })
}

/** Of the services that claim a host; those being deleted claim nothing. */
function ownerOfHost(host: string, claimants: readonly App[], drafts = false): App | undefined {
  return claimants
    .filter((app) => (drafts || app.spec.deploy.enabled) && app.metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (rank(host, a) < rank(host, b) ? -1 : 1))[0]
}

/** A host that leads somewhere stays there: neither an older service nor an edit with kubectl takes it away. */
const rank = (host: string, { metadata: { creationTimestamp = '', name }, status }: App): string =>
  `${(status?.hosts ?? [URL.parse(status?.url ?? '')?.hostname]).includes(host) ? 0 : 1} ${creationTimestamp} ${name}`

function claims(app: App, host: string, auto: AutoHosts | undefined): boolean {
  if (hostsOf(app.spec).includes(host)) return true
  return app.spec.ingress.host === '' && isUnder(host, auto) && labelOf(host) === autoLabel(app.metadata.name, app.spec)
}

const labelOf = (host: string): string => host.split('.', 1)[0] ?? ''

const isUnder = (host: string, auto: AutoHosts | undefined): boolean =>
  auto === undefined || host === `${labelOf(host)}.${auto.domain}`

/** With the ID of a project in it, or cut to the length of a label with a digest at its end. */
const givenForm = new RegExp(`-${projectIdText}(-|$)|^.{${keptOfLabel}}-[0-9a-f]{8}$`)

const isGiven = (host: string, auto: AutoHosts | undefined): boolean =>
  isUnder(host, auto) && givenForm.test(labelOf(host))
