/** The log store of a start: whether there is one, its address before the api starts, the store while svc serves. */
import { join } from 'node:path'
import { createLogStore, type LogStore } from '../logs/store.ts'
import { comesWithoutBuild } from '../servers/resolve.ts'
import type { ClusterKind, StartOptions } from './options.ts'
import type { Progress } from './progress.ts'

/** What the answer of a history without a store ends with, for the user of this machine. */
const hint = 'npm start -- --log-store brings one'

/**
 * None where the environment names one, and none without a node of svc's own: lines of played pods are made up. A start
 * that was not asked for one has it where Loki is on this machine already or can be downloaded.
 */
export async function chooseLogStore(
  { cluster, dataDir, logStore: isAsked }: { cluster: ClusterKind } & Pick<StartOptions, 'dataDir' | 'logStore'>,
  env: NodeJS.ProcessEnv,
): Promise<LogStore | undefined> {
  if (cluster !== 'node' || env['SVC_LOGS_URL']) return undefined
  if (!isAsked && !(await comesWithoutBuild('loki', { env }))) return undefined
  return await createLogStore(join(dataDir, 'node/logs'), join(dataDir, 'node/node/shadow/var/log/pods'))
}

/** Settings of the api: where the store is, or how one is had where there could be one. */
export function logSettings(store: LogStore | undefined, cluster: ClusterKind): Record<string, string> {
  if (store !== undefined) return { SVC_LOGS_URL: store.address }
  return cluster === 'node' ? { SVC_LOGS_HINT: hint } : {}
}

/** A failure is reported; svc itself runs nevertheless. */
export async function makeLogStore(
  store: LogStore | undefined,
  mayBuildStore: boolean,
  progress: Progress,
): Promise<void> {
  if (store === undefined) return
  const step = progress.begin('logs', 'background')
  try {
    await store.make({ mayBuildStore, progress: (line) => step.report(line), keepBuilds: true })
    step.done('are kept from now on')
  } catch (error) {
    step.done(`${error instanceof Error ? error.message : String(error)}; the next start tries again`)
  }
}
