/** The metrics store of a start: its address before the api starts, the store itself while svc serves. */
import { join } from 'node:path'
import { createMetricsStore, type MetricsStore } from '../metrics/store.ts'
import type { Target } from '../metrics/scrape.ts'
import type { ClusterKind } from './options.ts'
import type { Progress } from './progress.ts'

/** None where the environment names one, and none for a cluster of the user's, whose kubelets are not svc's to read. */
export async function chooseMetricsStore(
  cluster: ClusterKind,
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Promise<MetricsStore | undefined> {
  if (cluster === 'kubeconfig' || env['SVC_PROMETHEUS_URL']) return undefined
  return await createMetricsStore(join(dataDir, cluster, 'metrics'))
}

/** A failure is reported; svc itself runs nevertheless. */
export async function makeMetricsStore(
  store: MetricsStore | undefined,
  targets: readonly Target[],
  progress: Progress,
  keepBuilds: boolean,
): Promise<void> {
  if (store === undefined) return
  const step = progress.begin('metrics', 'background')
  try {
    await store.make(targets, { progress: (line) => step.report(line), keepBuilds })
    step.done('are kept from now on; the first ones show within a minute')
  } catch (error) {
    step.done(`${error instanceof Error ? error.message : String(error)}; the next start tries again`)
  }
}
