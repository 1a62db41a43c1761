/** A worker of the run as a process of its own, with durations shortened by policy. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { loginAs, readKubeconfig, writeKubeconfig } from '../../deploy/login.ts'
import { functionImageNames } from '../../one-machine/index.ts'
import { installRoles } from '../../deploy/roles.ts'
import { endWithRun, endWithSuite } from './leftovers.ts'
import { atEnd, useStack } from './stack.ts'
import { untilSays } from './until-says.ts'

/** Seconds become milliseconds: short enough for tests, and distinct even on a busy machine. */
export const testPolicy = {
  recheckMs: 1_000,
  failedPasses: 3,
  failingMs: 4_000,
  attemptMs: 8_000,
  crashRestarts: 2,
  steadyMs: 1, // simulated copies never exit by themselves
  heartbeatMs: 2_500,
  stickyMs: 500,
  workflowTaskMs: 2_000,
  copiesMs: 200, // a task that waits longer may miss its time on a busy machine
  resyncMs: 3_600_000,
  cloudSettleMs: 300,
  webhookTryMs: 2_000,
  webhookRetryMs: 200,
  webhookRetryMaxMs: 500,
  ciNewsMs: 100,
  ciSettleMs: 100,
  callMs: 8_000,
  callRetryMs: 200,
  callHeartbeatMs: 2_500,
} as const

export interface TestWorker {
  pid: number
  /** Resolves when the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

const root = join(import.meta.dirname, '../..')
/** A machine that starts several at once is slow to load their modules; the time of the hook that waits ends sooner. */
const readyWithinMs = 120_000
let shared: Promise<TestWorker> | undefined

let login: Promise<string> | undefined

/** The login of an installed worker, so that a forbidden request fails in tests, too. */
function workerLogin(): Promise<string> {
  login ??= (async () => {
    const { client, kubeconfig } = await useStack()
    await installRoles(client)
    const folder = await mkdtemp(join(tmpdir(), 'svc-worker-login-'))
    atEnd(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'kubeconfig')
    writeKubeconfig(file, await loginAs(client, 'svc-worker', readKubeconfig(kubeconfig)))
    return file
  })()
  return login
}

/** Policy, entry, environment, and the receiver of each log line. */
type WorkerOptions = [
  policy?: Partial<Record<string, number>>,
  entry?: string,
  env?: Record<string, string>,
  onLine?: (line: string) => void,
]

/** Starts another worker on the run's servers; resolves when it polls. It ends with the suite. */
export async function startTestWorker(...options: WorkerOptions): Promise<TestWorker> {
  return (await start(...options)).worker
}

async function start(
  ...[policy = {}, entry = 'temporal/main.ts', env = {}, onLine = () => undefined]: WorkerOptions
): Promise<{
  child: ChildProcess
  worker: TestWorker
}> {
  const { temporalAddress } = await useStack()
  const child = spawn(process.execPath, [join(root, entry)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      KUBECONFIG: await workerLogin(),
      SVC_TEMPORAL_ADDRESS: temporalAddress,
      SVC_POLICY: JSON.stringify({ ...testPolicy, ...policy }),
      SVC_IMAGE_DIGESTS: 'off',
      SVC_FUNCTION_IMAGES: JSON.stringify(functionImageNames),
      SVC_RELEASES: 'this', // an earlier test may have used a worker of another release
      SVC_WEBHOOK_PRIVATE: '1', // webhook receivers of tests listen on loopback
      SVC_CLOUDFLARE_URL: 'http://127.0.0.1:1', // no server: tests never call the real Cloudflare
      // No server listens there: no test calls a real cloud.
      SVC_AWS_ENDPOINT: 'http://127.0.0.1:9',
      SVC_PLANETSCALE_ENDPOINT: 'http://127.0.0.1:9',
      SVC_GITHUB_API_URL: process.env['SVC_GITHUB_API_URL'] ?? 'http://127.0.0.1:9',
      ...env,
    },
  })
  endWithSuite(child, entry)
  await untilSays(child, {
    name: 'the worker',
    ready: '"the worker is ready"',
    withinMs: readyWithinMs,
    onLine: (line) => {
      onLine(line)
      if (process.env['SVC_TEST_LOG'] !== undefined) console.error(line)
    },
  })
  return { child, worker: { pid: child.pid ?? 0, stop: (signal = 'SIGTERM') => stop(child, signal) } }
}

const sharing = ['test/dashboard', 'test/workflows'].map((folder) => join(root, folder) + sep)

/**
 * The files of these folders share one worker, since its start is what costs most of a short suite. It ends before any
 * other file: most other tests write records that no controller must touch.
 */
export async function endSharedWorker(next: string): Promise<void> {
  if (!sharing.some((folder) => next.startsWith(folder))) await withoutWorker()
}

/**
 * One shared worker for all tests of a suite, or of the folders above, that do not stop it. After a start that failed
 * the next call tries again: other suites do not fail with the one that it failed for.
 */
export function useWorker(): Promise<TestWorker> {
  if (shared !== undefined) return shared
  const starting = startShared()
  starting.catch(() => {
    if (shared === starting) shared = undefined
  })
  return (shared = starting)
}

async function startShared(): Promise<TestWorker> {
  const { child, worker } = await start()
  endWithRun(child)
  atEnd(() => worker.stop('SIGKILL'))
  return worker
}

/** Stops the shared worker; the next `useWorker` starts another. */
export async function withoutWorker(): Promise<void> {
  const running = shared
  shared = undefined
  await (await running)?.stop('SIGKILL')
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}
