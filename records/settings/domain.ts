/** The platform's domain: root domain, address of the dashboard, and how it is reached; all in the configuration. */
import { canonical } from '../../kinds/meta/digest.ts'
import type { PlatformConfig, PlatformConfigSpec } from '../../kinds/platform/kind.ts'
import { withEditor } from '../../kinds/provision/edited-by.ts'
import { type ConfigNeeds, editConfig } from './platform-config.ts'

export interface DomainSettings {
  /** Empty clears the field, undefined keeps it. */
  rootDomain?: string | undefined
  dashboardURL?: string | undefined
  dashboardExposure?: PlatformConfigSpec['dashboardExposure'] | undefined
}

export async function saveDomain(
  needs: ConfigNeeds,
  settings: DomainSettings,
  ifMatch?: string,
  actor?: string,
): Promise<PlatformConfig> {
  return editConfig(
    needs,
    (config) => {
      const { rootDomain: _, dashboardURL: __, ...kept } = config.spec
      const { rootDomain = config.spec.rootDomain ?? '', dashboardURL = config.spec.dashboardURL ?? '' } = settings
      const { dashboardExposure = config.spec.dashboardExposure } = settings
      const named = { ...(rootDomain === '' ? {} : { rootDomain }), ...(dashboardURL === '' ? {} : { dashboardURL }) }
      const spec = { ...kept, ...named, dashboardExposure }
      const isSame = actor === undefined || canonical(spec) === canonical(config.spec)
      return { ...config, spec, metadata: isSame ? config.metadata : withEditor(config.metadata, actor) }
    },
    ifMatch,
  )
}

/** Resets the fields to their values before the first save. */
export async function clearDomain(needs: ConfigNeeds, ifMatch?: string, actor?: string): Promise<PlatformConfig> {
  return saveDomain(needs, { rootDomain: '', dashboardURL: '', dashboardExposure: 'ingress' }, ifMatch, actor)
}
