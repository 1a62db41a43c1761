/**
 * What must be ready before a logical database is created: its environment, and a server that accepts it
 * (docs/reference/logical-databases.md#ready-condition).
 */
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { hindranceAt } from '../../kinds/logical-databases/server.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { awaitEnvironment } from '../context/environment-ready.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { readOwnSecret } from '../kube/own-secret.ts'
import { type Pass, waiting } from '../provision/step.ts'
import { adminSecretOf, readServerConnection, serverView } from './server.ts'

/** Waits until the project and its environment are ready (docs/reference/logical-databases.md#fields). */
export const awaitPlace =
  (needs: ActivityNeeds): Pass<LogicalDatabase> =>
  async ({ spec }) => {
    const wait = await awaitEnvironment(needs, spec)
    if (wait !== undefined) return waiting(wait.message)
    const project = await needs.projects.read(spec.project)
    return readyOf(project?.status?.conditions)?.status === 'True'
      ? undefined
      : waiting(`project ${spec.project} is not ready`)
  }

export const awaitServer =
  (needs: ActivityNeeds): Pass<LogicalDatabase> =>
  async ({ spec }) => {
    const server = await needs.databases.read(spec.serverRef)
    const project = await needs.projects.read(spec.project)
    const demands = { region: project?.spec.region ?? '', requiredTags: project?.spec.requiredTags ?? [] }
    const hindrance = hindranceAt(spec, server === undefined ? undefined : serverView(server), demands)
    if (hindrance !== undefined) return hindrance
    if (server === undefined) return undefined // never: hindranceAt has refused a missing server
    if ((await readServerConnection(needs.client, server)) === undefined)
      return waiting(`the connection secret of server ${spec.serverRef} is not available`)
    const admin = await readOwnSecret(needs.client, {
      name: adminSecretOf(server),
      namespace: homeOf(server.spec),
      owner: server.metadata.uid ?? '',
    })
    if (admin?.values['username'] === undefined || admin.values['password'] === undefined)
      return waiting(`waiting for the administrator login of server ${spec.serverRef}`)
    return undefined
  }
