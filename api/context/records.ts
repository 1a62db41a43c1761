/** The platform's own records as the handlers read and write them. */
import type { App } from '../../kinds/apps/kind.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { RecordStore } from '../../records/record-store.ts'

/** Read from memory and written conditionally. */
export interface Records {
  readonly projects: RecordStore<Project>
  readonly apps: RecordStore<App>
  readonly deployments: RecordStore<Deployment>
  readonly databases: RecordStore<Database>
  readonly logicalDatabases: RecordStore<LogicalDatabase>
  readonly objectStores: RecordStore<ObjectStore>
  readonly cloudConnections: RecordStore<CloudConnection>
}
