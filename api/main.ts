/** The api process: connects, fills its caches and serves; `SIGTERM` stops it within five seconds. */
import { pino } from 'pino'
import { systemNamespace } from '../kinds/meta/group.ts'
import { connectCluster } from '../cluster/client.ts'
import { logSkew } from '../cluster/http/clock.ts'
import { collectWhenIdle } from '../outside/process/collect-when-idle.ts'
import { metricsSettings, serveRegistry } from '../outside/metrics/serve-registry.ts'
import { connectTemporal, temporalSettings } from '../temporal/client/client.ts'
import { createPushes } from '../temporal/client/pushes.ts'
import { createRedeliveries } from '../temporal/client/redeliveries.ts'
import { createRuns } from '../temporal/client/runs.ts'
import { createScheduleStarts } from '../temporal/client/schedules.ts'
import { Handovers } from '../temporal/client/handovers.ts'
import { createWakes } from '../temporal/client/wakes.ts'
import { createLogOutput, lineTime } from './process/log-output.ts'
import { createMetrics } from './probes/metrics.ts'
import { apiSettings } from './process/process-settings.ts'
import { startApi } from './process/start.ts'

async function main(): Promise<void> {
  const settings = apiSettings(process.env)
  const temporalOptions = temporalSettings(process.env)
  const log = pino({ level: settings.logLevel, base: { process: 'api' }, timestamp: lineTime }, createLogOutput())
  const metrics = createMetrics(() => performance.now())
  const client = connectCluster({ onRequest: metrics.onClusterRequest, onSkew: (aheadMs) => logSkew(log, aheadMs) })
  metrics.watchClock(client.clock)
  // Connects with the first wake: the api starts, reads and accepts work while Temporal is away.
  const temporal = connectTemporal(temporalOptions)
  const { policy, searchable } = temporalOptions
  const options = { client: temporal.client, policy, searchable }
  const wakes = createWakes(options, log, new Handovers())
  const pushes = createPushes(options)
  const runs = createRuns({ ...options, pages: temporalOptions.pages })
  const redeliveries = createRedeliveries(options)
  const scheduleStarts = createScheduleStarts(options)
  const api = await startApi({
    settings,
    client,
    wakes,
    pushes,
    runs,
    redeliveries,
    scheduleStarts,
    log,
    metrics,
    clock: client.clock.now,
  })
  if (api.firstUsers.outcome === 'made admin') {
    const { username, secret } = api.firstUsers
    // The password is not printed: many keep the output of a process, while only some may read a Secret.
    process.stdout.write(
      `first sign-in: ${username}, with the password that this shows until then: ${readCommand(secret)}\n`,
    )
  }
  if (api.firstUsers.outcome === 'none') log.warn({}, 'there are no users: set SVC_DASHBOARD_USERS')
  log.info({ host: settings.host, port: api.port }, 'api ready')
  collectWhenIdle()
  const scraped = metricsSettings(process.env)
  const measured = scraped === undefined ? undefined : await serveRegistry(metrics.registry, scraped)
  if (measured !== undefined) log.info({ port: measured.port }, 'the metrics of the api are served')

  let stopping: Promise<void> | undefined
  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, 'api stopping')
    await api.stop()
    await Promise.allSettled([temporal.close(), client.close(), measured?.close()])
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      stopping ??= stop(signal)
    })
}

const readCommand = (secret: string): string =>
  `kubectl -n ${systemNamespace} get secret ${secret} -o go-template='{{.data.password | base64decode}}'`

try {
  await main()
} catch (error) {
  process.stderr.write(`svc api could not start: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
