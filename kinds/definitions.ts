/** Every kind of the platform, in the order a reader meets them. */
import type { z } from 'zod'
import { appKind } from './apps/kind.ts'
import { backupArchiveKind } from './backup-archives/kind.ts'
import { buildKind } from './builds/kind.ts'
import { cloudConnectionKind } from './cloud-connections/kind.ts'
import { clusterKind } from './clusters/kind.ts'
import { databaseKind } from './databases/kind.ts'
import type { KindDefinition } from './schema/definition.ts'
import { deploymentKind } from './deployments/kind.ts'
import { haReadinessKind } from './ha-readiness/kind.ts'
import { logicalDatabaseKind } from './logical-databases/kind.ts'
import { objectStoreKind } from './object-stores/kind.ts'
import { platformConfigKind } from './platform/kind.ts'
import { projectKind } from './projects/kind.ts'
import type { ResourceTypeName } from './meta/resource-types.ts'
import type { Resource } from './meta/resource.ts'

/** A record by name, so that an undefined kind does not compile. */
export const definitions = {
  project: projectKind,
  app: appKind,
  database: databaseKind,
  logicalDatabase: logicalDatabaseKind,
  objectStore: objectStoreKind,
  deployment: deploymentKind,
  build: buildKind,
  cluster: clusterKind,
  cloudConnection: cloudConnectionKind,
  platformConfig: platformConfigKind,
  haReadiness: haReadinessKind,
  backupArchive: backupArchiveKind,
} satisfies Record<ResourceTypeName, KindDefinition>

/** The record of a kind, e.g. `RecordOf<'database'>` is a `Database`. */
export type RecordOf<K extends ResourceTypeName> = Resource<
  z.output<(typeof definitions)[K]['spec']>,
  z.output<(typeof definitions)[K]['status']>
>
