/**
 * The platform's domain: root domain, address of the dashboard and how it is reached; fields of the configuration
 * alone.
 */
import type { PlatformConfig, PlatformConfigSpec } from '../../kinds/platform/kind.ts'
import { type ConfigNeeds, editConfig } from './platform-config.ts'

export interface DomainSettings {
  /** Empty clears, undefined keeps. */
  rootDomain?: string | undefined
  dashboardURL?: string | undefined
  dashboardExposure?: PlatformConfigSpec['dashboardExposure'] | undefined
}

export async function saveDomain(
  needs: ConfigNeeds,
  settings: DomainSettings,
  ifMatch?: string,
): Promise<PlatformConfig> {
  return editConfig(
    needs,
    (config) => {
      const { rootDomain: _, dashboardURL: __, ...kept } = config.spec
      const { rootDomain = config.spec.rootDomain ?? '', dashboardURL = config.spec.dashboardURL ?? '' } = settings
      const { dashboardExposure = config.spec.dashboardExposure } = settings
      const named = { ...(rootDomain === '' ? {} : { rootDomain }), ...(dashboardURL === '' ? {} : { dashboardURL }) }
      return { ...config, spec: { ...kept, ...named, dashboardExposure } }
    },
    ifMatch,
  )
}

/** Back to how it was before the first save. */
export async function clearDomain(needs: ConfigNeeds, ifMatch?: string): Promise<PlatformConfig> {
  return saveDomain(needs, { rootDomain: '', dashboardURL: '', dashboardExposure: 'ingress' }, ifMatch)
}
