/** The platform's own records as the handlers read and write them. */
import type { App } from '../kinds/apps/kind.ts'
import type { CloudConnection } from '../kinds/cloud-connections/kind.ts'
import type { Deployment } from '../kinds/deployments/kind.ts'
import type { Project } from '../kinds/projects/kind.ts'
import type { RecordStore } from '../records/record-store.ts'

/** Read from memory and written conditionally. */
export interface Records {
  readonly projects: RecordStore<Project>
  readonly apps: RecordStore<App>
  readonly cloudConnections: RecordStore<CloudConnection>
  readonly deployments: RecordStore<Deployment>
}
