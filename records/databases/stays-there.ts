/** What an abandoned database leaves at PlanetScale. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { nameAtPlanetScale } from '../../kinds/databases/names.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'

/**
 * In words: the database, its organization and its cloud connection, which may be gone; empty where nothing was made.
 */
export async function staysAtPlanetScale(client: ClusterClient, database: Database): Promise<string[]> {
  if (database.status?.targetNamespace === undefined) return []
  const name = (effectiveDatabaseSpec(database) ?? database.spec).connectionRef?.name ?? ''
  const ref = { type: resourceTypes.cloudConnection, namespace: systemNamespace, name }
  const organization = (name === '' ? undefined : await client.get<CloudConnection>(ref))?.spec.organization ?? ''
  const of = organization === '' ? '' : ` of organization ${organization}`
  return [`database ${nameAtPlanetScale(database)}${of} at PlanetScale, with its passwords (cloud connection ${name})`]
}
