/** The needs of the writers of database records. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import type { ConnectionNeeds } from '../secrets/connection-ref.ts'
import type { PlaceNeeds } from '../place/place.ts'
import type { RecordStore } from '../store/record-store.ts'
import type { CapacityNeeds } from '../place/capacity-needs.ts'

export interface DatabaseNeeds extends PlaceNeeds, ConnectionNeeds, CapacityNeeds {
  client: ClusterClient
  databases: RecordStore<Database>
  logicalDatabases: RecordStore<LogicalDatabase>
  now: () => Date
  /** Whether the default StorageClass can enlarge an existing volume. */
  expandable: () => boolean
  /** Whether CloudNativePG is installed, which runs postgres with several copies. */
  canReplicate: () => Promise<boolean>
}
