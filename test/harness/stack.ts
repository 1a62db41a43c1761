/** The real servers tests run against: started once per run on first use, stopped when the run ends however it ends. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClusterClient } from '../../cluster/client.ts'
import type { SimulatedCluster, TemporalServer } from '../../one-machine/index.ts'
import { lateClient } from './late-client.ts'
import { tellOnTheWay } from './servers.ts'

export interface Stack {
  kubeconfig: string
  client: ClusterClient
  temporalAddress: string
  temporalNamespace: string
  /** For tests that stop, restart or kill servers: whoever does so brings them back. */
  cluster: SimulatedCluster
  temporal: TemporalServer
  /** One JSON line per write request, for tests that count them. */
  auditLog: string
}

// The one place that remembers something between test files: a stack a file would cost each of them seconds.
const run: { start?: Promise<Stack>; stop?: Promise<void> } = {}
const toStop: (() => Promise<unknown>)[] = []

/** A simulated cluster with our kinds and the namespace svc-system, and a Temporal server; ready in about 4 s. */
export function useStack(): Promise<Stack> {
  run.start ??= start()
  return run.start
}

/** Runs when the run ends, before the servers stop. */
export function atEnd(stopOne: () => Promise<unknown>): void {
  toStop.push(stopOne)
}

/** Stops what was started and removes its data. May be called twice: both wait for the same end. */
export function stopStack(): Promise<void> {
  run.stop ??= stop()
  return run.stop
}

/**
 * What starts the servers is loaded here: a run of pure rules, which needs none of them, would wait for it longest of
 * all.
 */
async function start(): Promise<Stack> {
  const [{ connectCluster }, { serverNames, startStack }] = await Promise.all([
    import('../../cluster/client.ts'),
    import('../../one-machine/index.ts'),
  ])
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-'))
  toStop.push(() => rm(dataDir, { recursive: true, force: true }))
  const auditLog = join(dataDir, 'audit.log')
  const stack = await startStack({
    cluster: 'simulated',
    dataDir,
    auditLog,
    progress: tellOnTheWay,
    onStarted: (_part, stopPart) => toStop.push(stopPart),
  })
  const { kubeconfig, temporalAddress, temporalNamespace, simulated, temporal } = stack
  if (kubeconfig === undefined || simulated === undefined || temporal === undefined)
    throw new Error('the stack is not the simulated one')
  // What they keep goes with them, so they need no time to end in order.
  toStop.push(async () => {
    if (temporal.pid() !== 0) temporal.kill('SIGKILL')
    const running = simulated.pids()
    for (const name of serverNames) if (running[name] !== undefined) simulated.kill(name, 'SIGKILL')
  })
  const client = lateClient(connectCluster({ kubeconfig }))
  toStop.push(() => client.close())
  return { kubeconfig, client, temporalAddress, temporalNamespace, cluster: simulated, temporal, auditLog }
}

async function stop(): Promise<void> {
  // What is on its way up must be up before it can be stopped; its failure is heard by whoever asked for it.
  await Promise.allSettled([run.start])
  const failures: unknown[] = []
  for (const stopOne of toStop.toReversed()) await stopOne().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, 'not every server of the tests stopped')
}
