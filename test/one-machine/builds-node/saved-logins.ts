/** The logins that builds of a private repository need, and where their texts must not turn up. */
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { labels } from '../../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { type BuildNode, gitToken } from './build-node.ts'

const password = 'password-of-the-registry'

/** The login of the repository as the Secret `git-login`, and that of the registry as the platform's. */
export async function saveLogins({ cluster, client, project, registry }: BuildNode): Promise<void> {
  const metadata = { name: 'git-login', namespace: systemNamespace, labels: { [labels.project]: project } }
  await cluster.create(coreTypes.secret, {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata },
    stringData: { token: gitToken },
  })
  await client.call('settings.registry-save', { repository: `${registry}/svc/builds`, username: 'robot', password })
}

/** Which of these logins, and of `more`, a text has, plain or in base64. */
export function loginsIn(text: string, more: readonly string[] = []): string[] {
  return [gitToken, password, `robot:${password}`, `x-access-token:${gitToken}`, ...more]
    .flatMap((login) => [login, Buffer.from(login).toString('base64').replace(/=+$/, '')])
    .filter((login) => text.includes(login))
}
