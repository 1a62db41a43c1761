/** Removes logins at servers elsewhere that no database names: of requests that died half-way, and of what is gone. */
import type { ClusterClient } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { listExternalLogins } from '../secrets/external-login.ts'
import { removeSeen } from '../secrets/named-secret.ts'
import type { RecordStore } from '../store/record-store.ts'

/** How many went. Those written at or after `before` (milliseconds since 1970) stay: their record may be under way. */
export async function sweepLogins(
  { client, databases }: { client: ClusterClient; databases: RecordStore<Database> },
  before: number,
): Promise<number> {
  let swept = 0
  for (const secret of await listExternalLogins(client)) {
    const { name, creationTimestamp = '' } = secret.metadata
    if (Date.parse(secret.metadata.annotations?.[annotations.writtenAt] ?? creationTimestamp) >= before) continue
    const database = await databases.readLive(secret.metadata.labels?.[labels.database] ?? '')
    if (database !== undefined && isNamed(database, name)) continue
    if (await removeSeen(client, coreTypes.secret, secret)) swept += 1
  }
  return swept
}

/** Whether the saved or the effective spec names the Secret: an edit may wait for its deploy. */
const isNamed = (database: Database, secret: string): boolean =>
  [database.spec, effectiveDatabaseSpec(database)].some((spec) => spec?.externalPasswordRef?.name === secret)
