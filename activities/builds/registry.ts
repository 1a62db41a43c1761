/** Where the image of a build is pushed, and with which login. */

import type { V1Secret } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { BuildSpec } from '../../kinds/builds/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { isHandMadeFor } from '../../kinds/secrets/named-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'

export interface Destination {
  repository: string
  /** The text of a `.dockerconfigjson`; '' for none. */
  login: string
}

/**
 * The service's own, else the platform's, else the install's. A sentence where there is none or its login cannot be
 * had.
 */
export async function destinationOf(
  needs: Pick<ActivityNeeds, 'client' | 'builder'>,
  { project, registry }: Pick<BuildSpec, 'project' | 'registry'>,
): Promise<Destination | string> {
  const own = registry?.repository ?? ''
  if (own !== '') return withLogin(needs, own, registry?.credentialRef?.name, isHandMadeFor(project))
  const type = resourceTypes.platformConfig
  const config = await needs.client.get<PlatformConfig>({ type, namespace: systemNamespace, name: platformConfigName })
  const { repository = '', credentialRef } = config?.spec.registry ?? {}
  // An admin of the platform names it.
  if (repository !== '') return withLogin(needs, repository, credentialRef?.name, () => true)
  return needs.builder.destination === undefined
    ? 'there is no registry to push to: set one in the settings of the platform'
    : { repository: needs.builder.destination, login: '' }
}

async function withLogin(
  { client }: Pick<ActivityNeeds, 'client'>,
  repository: string,
  name: string | undefined,
  mayName: (secret: Sent<V1Secret>) => boolean,
): Promise<Destination | string> {
  if (name === undefined || name === '') return { repository, login: '' }
  const secret = await client.get<Sent<V1Secret>>({ type: coreTypes.secret, namespace: systemNamespace, name })
  const login = Buffer.from(secret?.data?.['.dockerconfigjson'] ?? '', 'base64').toString()
  if (secret === undefined || !mayName(secret) || login === '')
    return `the login of the registry, Secret ${name} with the key .dockerconfigjson, is not there for this project`
  return { repository, login }
}
