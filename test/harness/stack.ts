/** The real servers tests run against: started once per run on first use, stopped when the run ends however it ends. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClusterClient } from '../../cluster/client.ts'
import { connectCluster } from '../../cluster/client.ts'
import { startSimulatedCluster } from '../../local/simulated/start.ts'
import type { SimulatedCluster } from '../../local/simulated/start.ts'
import { startTemporal } from '../../local/temporal-server.ts'
import type { TemporalServer } from '../../local/temporal-server.ts'
import { installCrds } from './install-crds.ts'

export interface TestCluster {
  kubeconfig: string
  client: ClusterClient
  /** Stops, restarts or kills its servers; whoever does so brings them back. */
  servers: SimulatedCluster
}

export interface Stack extends TestCluster {
  temporalAddress: string
  temporal: TemporalServer
}

const started: { dir?: Promise<string>; cluster?: Promise<TestCluster>; temporal?: Promise<TemporalServer> } = {}
const toStop: (() => Promise<void>)[] = []

/** A simulated cluster with our kinds and the namespace svc-system. */
export function useCluster(): Promise<TestCluster> {
  started.cluster ??= startCluster()
  return started.cluster
}

/** The cluster and a Temporal server. */
export async function useStack(): Promise<Stack> {
  started.temporal ??= startTemporalServer()
  const [cluster, temporal] = await Promise.all([useCluster(), started.temporal])
  return { ...cluster, temporalAddress: temporal.address, temporal }
}

/** Stops what was started, the last first, and removes its data; safe to call twice. */
export async function stopStack(): Promise<void> {
  const settled = await Promise.allSettled([started.cluster, started.temporal])
  const stops = toStop.splice(0).toReversed()
  const failures: unknown[] = []
  for (const stop of stops) await stop().catch((error: unknown) => failures.push(error))
  if (started.dir !== undefined) await rm(await started.dir, { recursive: true, force: true })
  delete started.dir
  delete started.cluster
  delete started.temporal
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${settled.length} servers did not stop`)
}

function dataDir(): Promise<string> {
  started.dir ??= mkdtemp(join(tmpdir(), 'svc-test-'))
  return started.dir
}

async function startCluster(): Promise<TestCluster> {
  const servers = await startSimulatedCluster({ dataDir: join(await dataDir(), 'cluster'), progress: report })
  toStop.push(() => servers.stop())
  const client = connectCluster({ kubeconfig: servers.kubeconfig })
  toStop.push(() => client.close())
  await installCrds(client)
  return { kubeconfig: servers.kubeconfig, client, servers }
}

async function startTemporalServer(): Promise<TemporalServer> {
  const temporal = await startTemporal({ dataDir: join(await dataDir(), 'temporal'), headless: true, progress: report })
  toStop.push(() => temporal.stop())
  return temporal
}

function report(line: string): void {
  process.stderr.write(`${line}\n`)
}
