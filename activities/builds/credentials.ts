/** The login with which the repository of a build is read: a Secret that a person made for the project. */

import type { V1Secret } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { gitKeys } from '../../kinds/builds/job.ts'
import type { BuildSpec } from '../../kinds/builds/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isHandMadeFor } from '../../kinds/secrets/named-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'

/** Empty for a public repository; a sentence where the Secret that is named cannot be used. */
export async function gitLoginOf(
  { client }: Pick<ActivityNeeds, 'client'>,
  { connectionRef, project }: Pick<BuildSpec, 'connectionRef' | 'project'>,
): Promise<Record<string, string> | string> {
  const name = connectionRef?.name ?? ''
  if (name === '') return {}
  const secret = await client.get<Sent<V1Secret>>({ type: coreTypes.secret, namespace: systemNamespace, name })
  if (secret === undefined || !isHandMadeFor(project)(secret))
    return `the login of the repository, Secret ${name}, is not there for this project`
  const login = Object.fromEntries(
    gitKeys.flatMap((key) => {
      const value = secret.data?.[key]
      return value === undefined ? [] : [[key, Buffer.from(value, 'base64').toString()]]
    }),
  )
  return 'token' in login || 'ssh-privatekey' in login
    ? login
    : `the login of the repository, Secret ${name}, has neither a token nor an ssh-privatekey`
}
