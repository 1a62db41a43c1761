/** The options of a worker. */
import type { Clouds, ObjectServerSettings, PlacementSettings } from '../activities/context/needs.ts'
import type { ClusterClient } from '../cluster/client.ts'
import type { BuilderSettings } from '../kinds/builds/job.ts'
import type { Logger } from '../cluster/objects/log.ts'
import type { GitHostSettings } from '../outside/githost/addresses.ts'
import type { Registries } from '../outside/registry/registry.ts'
import type { ImageRemover } from '../outside/registry/remove-image.ts'
import type { TemporalSettings } from './client/client.ts'
import type { Exposure } from './settings/exposure.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { Release } from './releases/release.ts'
import type { ReleaseMode } from './releases/keep-current.ts'

export interface WorkerOptions {
  cluster: ClusterClient
  temporal: TemporalSettings
  placement: PlacementSettings
  objectServer: ObjectServerSettings
  backupImage: string
  binlogImage: string
  /** Image and limits of builds. */
  builder: BuilderSettings
  exposure: Exposure
  /** If left out, copies run by the tags of their images. */
  registries?: Registries | undefined
  /** If left out, the images of builds stay in their registries. */
  imageRemover?: ImageRemover | undefined
  clouds: Clouds
  gitHost: GitHostSettings
  /** Whether webhooks may reach private and loopback addresses. */
  privateWebhooks: boolean
  log: Logger
  release: Release
  /** Which of several releases is current; `newest` if left out. */
  releases?: ReleaseMode
  now?: () => Date
  metrics?: WorkerMetrics
}
