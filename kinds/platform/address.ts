/**
 * The address of the dashboard, and the domain of the hosts that services get
 * (docs/reference/platform.md#configuration).
 */

type Named = { dashboardURL?: string | undefined; rootDomain?: string | undefined }

const ownLabel = 'svc.'

/**
 * The address of the dashboard; `https://svc.<rootDomain>` when none is set (docs/reference/platform.md#configuration),
 * undefined when neither is.
 */
export function dashboardUrlOf(spec: Named | undefined): string | undefined {
  if (spec?.dashboardURL !== undefined && spec.dashboardURL !== '') return spec.dashboardURL
  return spec?.rootDomain === undefined || spec.rootDomain === '' ? undefined : `https://${ownLabel}${spec.rootDomain}`
}

/** Hosts that no service may have: the dashboard's, and the root domain itself. */
export function reservedHosts(spec: Named | undefined): string[] {
  const hosts = [URL.parse(dashboardUrlOf(spec) ?? '')?.hostname, rootDomainOf(spec)]
  return hosts.filter((host) => host !== undefined && host !== '') as string[] // what is left out above
}

/**
 * The root domain; when empty, the rest of a dashboard host that begins with `svc.`
 * (docs/reference/platform.md#configuration); else undefined.
 */
export function rootDomainOf(spec: Named | undefined): string | undefined {
  if (spec?.rootDomain !== undefined && spec.rootDomain !== '') return spec.rootDomain
  const host = URL.parse(spec?.dashboardURL ?? '')?.hostname ?? ''
  return host.startsWith(ownLabel) ? host.slice(ownLabel.length) : undefined
}
