/** The registry that the image of a build is pushed to, and the login for it. */
import { textAt } from '../../cluster/objects/secret-data.ts'
import type { BuildSpec } from '../../kinds/builds/kind.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { isHandMadeFor, isPlatformSetting, secretPurposes, type SecretRule } from '../../kinds/secrets/named-secret.ts'
import { findNamedSecret } from '../../records/secrets/named-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'

export interface Destination {
  repository: string
  /** The text of a `.dockerconfigjson`; '' for none. */
  login: string
}

/**
 * The registry of the service, else of the platform, else of the install; a sentence if there is none or its Secret may
 * not be used: a writer of records could name a Secret of another project otherwise (docs/ownership.md#secrets).
 */
export async function destinationOf(
  needs: Pick<ActivityNeeds, 'client' | 'builder'>,
  { project, registry }: Pick<BuildSpec, 'project' | 'registry'>,
): Promise<Destination | string> {
  const own = registry?.repository ?? ''
  if (own !== '') {
    const unmet = 'is not there for this project'
    return withLogin(needs, own, registry?.credentialRef?.name, isHandMadeFor(project), unmet)
  }
  const type = resourceTypes.platformConfig
  const config = await needs.client.get<PlatformConfig>({ type, namespace: systemNamespace, name: platformConfigName })
  const { repository = '', credentialRef } = config?.spec.registry ?? {}
  if (repository !== '') {
    const unmet = `is not there or lacks the label ${labels.purpose}=${secretPurposes.platform}`
    return withLogin(needs, repository, credentialRef?.name, isPlatformSetting, unmet)
  }
  return needs.builder.destination === undefined
    ? 'there is no registry to push to: set one in the settings of the platform'
    : { repository: needs.builder.destination, login: '' }
}

async function withLogin(
  { client }: Pick<ActivityNeeds, 'client'>,
  repository: string,
  name: string | undefined,
  mayUse: SecretRule,
  unmet: string,
): Promise<Destination | string> {
  if (name === undefined || name === '') return { repository, login: '' }
  const { secret } = await findNamedSecret(client, name, mayUse)
  const login = textAt(secret, '.dockerconfigjson') ?? ''
  return login === ''
    ? `the login of the registry, Secret ${name} with the key .dockerconfigjson, ${unmet}`
    : { repository, login }
}
