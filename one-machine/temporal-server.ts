/** A Temporal server for one machine: the dev server with a database file, with measured settings. */
import { Connection, isGrpcServiceError } from '@temporalio/client'
import proto from '@temporalio/proto'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { scaledLimit } from './processes/time-limits.ts'
import { keepPorts } from './processes/kept-port.ts'
import { createSupervisor, stopLeftovers } from './processes/supervisor.ts'
import { resolveServer } from './servers/resolve.ts'

export const temporalNamespace = 'svc'
const retentionSeconds = 7 * 86_400
const probeWithinMs = 500
const connectWithinMs = 3_000
/** The gRPC code NOT_FOUND. */
const notFoundCode = 5

/** Registered at the start, so that the worker finds them; on other Temporal servers the worker adds them itself. */
const searchAttributes = [
  'SvcKind',
  'SvcProject',
  'SvcEnvironment',
  'SvcResource',
  'SvcOperation',
  'SvcAttempt',
  'SvcPhase',
  'SvcActor',
]

/**
 * Default poll rates make each task wait for a 50 ms tick; with four partitions a task without a poller waits 2 s now
 * and then; eager activities save a hop. Schedules of one second start 30 runs a second by default.
 */
const dynamicConfig = {
  'history.transferProcessorMaxPollRPS': 100,
  'history.timerProcessorMaxPollRPS': 100,
  'history.visibilityProcessorMaxPollRPS': 100,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'system.enableActivityEagerExecution': true,
  'worker.schedulerNamespaceStartWorkflowRPS': 200,
}

/**
 * Fewer rounds of Go's garbage collection. In three bursts of 50 new services with it and three without, by turns on
 * two busy cores, Temporal took 80 to 120 ms of processor time for each service instead of 116 to 125; 300 MiB were
 * resident afterwards instead of 190. A GOGC of the caller's goes before.
 */
const garbage = '400'

export interface TemporalOptions {
  /** Created when missing; contains the database file. */
  readonly dataDir: string
  /** Default: the last port when it is free, else any. */
  readonly port?: number
  /** False also serves Temporal's web interface, on loopback; default true. */
  readonly headless?: boolean
  /** Restarts the server when it exited by itself. */
  readonly keepAlive?: boolean
  /** Additional settings of the server. */
  readonly settings?: Readonly<Record<string, number | boolean>>
  readonly progress?: (line: string) => void
}

export interface TemporalServer {
  /** host:port of the frontend. */
  readonly address: string
  readonly uiAddress?: string
  pid(): number
  restart(): Promise<void>
  kill(signal: NodeJS.Signals): void
  stop(): Promise<void>
}

const portNames = ['frontend', 'http', 'metrics', 'ui'] as const
type Ports = Readonly<Record<(typeof portNames)[number], number>>

function serverArguments(dataDir: string, ports: Ports, { headless = true, settings = {} }: TemporalOptions): string[] {
  return [
    'server',
    'start-dev',
    '--ip',
    '127.0.0.1',
    '--port',
    String(ports.frontend),
    '--http-port',
    String(ports.http),
    '--metrics-port',
    String(ports.metrics),
    ...(headless ? ['--headless'] : ['--ui-port', String(ports.ui), '--ui-ip', '127.0.0.1']),
    '--log-level',
    'error',
    '--namespace',
    temporalNamespace,
    '--db-filename',
    join(dataDir, 'temporal.db'),
    '--sqlite-pragma',
    'journal_mode=WAL',
    '--sqlite-pragma',
    'synchronous=NORMAL',
    ...searchAttributes.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...Object.entries({ ...dynamicConfig, ...settings }).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
  ]
}

async function isServing(address: string): Promise<boolean> {
  const connection = Connection.lazy({ address, connectTimeout: scaledLimit(probeWithinMs) })
  const ask = () => connection.workflowService.describeNamespace({ namespace: temporalNamespace })
  try {
    await connection.withDeadline(Date.now() + scaledLimit(probeWithinMs), ask)
    return true
  } catch {
    return false
  } finally {
    await connection.close()
  }
}

const retention = { workflowExecutionRetentionTtl: { seconds: retentionSeconds } }

/** ID of svc's namespace, by which a server is known wherever it is reached. Plain connections only. */
export async function readNamespaceId(address: string): Promise<string> {
  const connection = await Connection.connect({ address, connectTimeout: scaledLimit(connectWithinMs) })
  try {
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace: temporalNamespace })
    return namespaceInfo?.id ?? ''
  } finally {
    await connection.close()
  }
}

async function setRetention(address: string): Promise<void> {
  const connection = await Connection.connect({ address })
  const config = proto.temporal.api.namespace.v1.NamespaceConfig.fromObject(retention)
  try {
    await connection.workflowService.updateNamespace({ namespace: temporalNamespace, config })
  } finally {
    await connection.close()
  }
}

/**
 * Registers the namespace on a user's Temporal server when it has none. Rejects with one sentence when the server does
 * not answer or refuses it. Plain connections only: with TLS or an API key, its admin creates the namespace.
 */
export async function ensureNamespace(address: string, namespace = temporalNamespace): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: scaledLimit(connectWithinMs) }).catch(
    (cause: unknown) => {
      throw new Error(`Temporal at ${address} does not answer`, { cause })
    },
  )
  const { workflowService: service } = connection
  const { RegisterNamespaceRequest } = proto.temporal.api.workflowservice.v1
  try {
    await service.describeNamespace({ namespace }).catch(async (error: unknown) => {
      const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined
      if (code !== notFoundCode) throw error
      await service.registerNamespace(
        RegisterNamespaceRequest.fromObject({
          namespace,
          workflowExecutionRetentionPeriod: retention.workflowExecutionRetentionTtl,
        }),
      )
    })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`Temporal at ${address} has no namespace ${namespace}, and svc could not register it: ${why}`, {
      cause,
    })
  } finally {
    await connection.close()
  }
}

/** Starts Temporal with the namespace `svc`; resolves when the namespace answers. Ended workflows are kept 7 days. */
export async function startTemporal(options: TemporalOptions): Promise<TemporalServer> {
  const dataDir = resolve(options.dataDir)
  const headless = options.headless ?? true
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const runFile = join(dataDir, 'run.json')
  await stopLeftovers(runFile)
  const command = await resolveServer('temporal', { progress: options.progress ?? (() => undefined) })
  const ports = await keepPorts(join(dataDir, 'ports.json'), portNames, { frontend: options.port })
  const address = `127.0.0.1:${ports.frontend}`
  let supervisor = createSupervisor(runFile)
  const logFile = join(dataDir, 'temporal.log')
  const args = serverArguments(dataDir, ports, options)
  const spec = {
    name: 'temporal',
    command,
    args,
    env: { GOGC: process.env['GOGC'] ?? garbage },
    logFile,
    ready: () => isServing(address),
    keepAlive: options.keepAlive ?? false,
  }
  let stopped = false
  try {
    await supervisor.start(spec)
    await setRetention(address)
  } catch (error) {
    await supervisor.stop()
    throw error
  }
  return {
    address,
    ...(headless ? {} : { uiAddress: `http://127.0.0.1:${ports.ui}` }),
    pid: () => supervisor.pids()['temporal'] ?? 0,
    restart: async () => {
      // A stopped supervisor starts no more children, which makes a stop in the middle of a start hold: a restart needs
      // a new one.
      if (stopped) supervisor = createSupervisor(runFile)
      await (stopped ? supervisor.start(spec) : supervisor.restart('temporal'))
      stopped = false
    },
    kill: (signal) => supervisor.kill('temporal', signal),
    stop: async () => {
      stopped = true
      await supervisor.stop()
    },
  }
}
