/** Where the dashboard is and under which domain services get their hosts (spec, Platform configuration). */

type Named = { dashboardURL?: string | undefined; rootDomain?: string | undefined }

const ownLabel = 'svc.'

/** "Default `https://svc.<rootDomain>`"; undefined while neither is set. */
export function dashboardUrlOf(spec: Named | undefined): string | undefined {
  if (spec?.dashboardURL !== undefined && spec.dashboardURL !== '') return spec.dashboardURL
  return spec?.rootDomain === undefined || spec.rootDomain === '' ? undefined : `https://${ownLabel}${spec.rootDomain}`
}

/** "If empty taken from dashboardURL when its host starts with the first label `svc.`"; undefined otherwise. */
export function rootDomainOf(spec: Named | undefined): string | undefined {
  if (spec?.rootDomain !== undefined && spec.rootDomain !== '') return spec.rootDomain
  const host = URL.parse(spec?.dashboardURL ?? '')?.hostname ?? ''
  return host.startsWith(ownLabel) ? host.slice(ownLabel.length) : undefined
}
