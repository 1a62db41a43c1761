/** The platform's configuration as this process remembers it; undefined before the first save. */
import { systemNamespace } from '../../kinds/group.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import type { Caches } from '../caches.ts'

export const configOf = ({ platformConfig }: Caches): PlatformConfig | undefined => platformConfig.get(platformConfigName, systemNamespace)
