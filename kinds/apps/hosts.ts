/** The public hosts of services: one host belongs to one service, the oldest (design, State). */

import type { App, AppSpec } from './kind.ts'

/** Every host that a spec names. */
export function hostsOf({ ingress }: AppSpec): string[] {
  return [ingress.host, ...ingress.rules.map((rule) => rule.host)].filter((host) => host !== '')
}

/** Of the services that name the host, the deployed one that it belongs to; drafts and those being deleted claim nothing. */
export function ownerOfHost(claimants: readonly App[]): App | undefined {
  return claimants
    .filter((app) => app.spec.deploy.enabled && app.metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (ageKey(a) < ageKey(b) ? -1 : 1))[0]
}

const ageKey = ({ metadata: { creationTimestamp = '', name } }: App): string => `${creationTimestamp} ${name}`
