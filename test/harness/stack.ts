/**
 * The real servers for tests: started on first use, once per run, and stopped when the run ends for whatever reason.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClusterClient } from '../../cluster/client.ts'
import type { SimulatedCluster, TemporalServer } from '../../one-machine/index.ts'
import { lateClient } from './late-client.ts'
import { logProgress } from './servers.ts'

export interface Stack {
  kubeconfig: string
  client: ClusterClient
  temporalAddress: string
  temporalNamespace: string
  /** For tests that stop, restart or kill servers; such a test must start them again. */
  cluster: SimulatedCluster
  temporal: TemporalServer
  /** One JSON line per write request, for tests that count them. */
  auditLog: string
}

// The only state shared between test files: a stack per file would cost seconds each.
const run: { start?: Promise<Stack>; stop?: Promise<void>; used: boolean } = { used: false }
const toStop: (() => Promise<unknown>)[] = []

/** A simulated cluster with our kinds and the namespace svc-system, and a Temporal server; ready in about 4 s. */
export function useStack(): Promise<Stack> {
  run.used = true
  run.start ??= start()
  return run.start
}

/** Calls the function where the servers are up and were used since the last call. */
export async function afterUse(clean: () => Promise<void>): Promise<void> {
  if (!run.used) return
  // A failed start is reported by the tests that need the servers.
  await run.start?.then(clean, () => undefined)
  run.used = false
}

/** Registers a function for the end of the run, before the servers stop. */
export function atEnd(stopOne: () => Promise<unknown>): void {
  toStop.push(stopOne)
}

/** Stops the servers and removes their data. A second call waits for the same end. */
export function stopStack(): Promise<void> {
  run.stop ??= stop()
  return run.stop
}

/**
 * Imports the code that starts the servers only here: a run of pure rules needs no server, and the import would take
 * most of its time.
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
    // Terminals of tests have a real shell: kwok plays the kubelet, which speaks the protocols of a real one.
    exec: true,
    progress: logProgress,
    onStarted: (_part, stopPart) => toStop.push(stopPart),
  })
  const { kubeconfig, temporalAddress, temporalNamespace, simulated, temporal } = stack
  if (kubeconfig === undefined || simulated === undefined || temporal === undefined)
    throw new Error('the stack is not the simulated one')
  // Their data is deleted, so they need no graceful shutdown.
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
  // A server can be stopped only once it is up; a failed start is reported to the caller of `useStack`.
  await Promise.allSettled([run.start])
  const failures: unknown[] = []
  for (const stopOne of toStop.toReversed()) await stopOne().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, 'not every server of the tests stopped')
}
