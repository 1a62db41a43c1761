/** The worker process: settings from environment variables, a log in JSON, and a graceful stop. */
import { existsSync } from 'node:fs'
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { pino } from 'pino'
import { connectCluster } from '../cluster/client.ts'
import { logSkew } from '../cluster/http/clock.ts'
import { collectWhenIdle } from '../outside/process/collect-when-idle.ts'
import { logLevel } from '../outside/process/log-level.ts'
import { metricsSettings, serveRegistry } from '../outside/metrics/serve-registry.ts'
import { allowsPrivate } from '../outside/webhooks/sender.ts'
import { temporalSettings } from './client/client.ts'
import { gitHostSettings } from '../outside/githost/addresses.ts'
import { builderSettings, imageRemoverOf } from './settings/builder.ts'
import { cloudsOf } from './settings/clouds.ts'
import { exposureSettings } from './settings/exposure.ts'
import { createWorkerMetrics } from './metrics.ts'
import { backupImage, binlogImage } from './settings/backups.ts'
import { objectServerSettings } from './settings/object-server.ts'
import { placementSettings, registriesOf } from './settings/placement.ts'
import { releaseMode } from './releases/keep-current.ts'
import { loadRelease, type Release } from './releases/release.ts'
import { startWorker, type RunningWorker } from './worker.ts'
import { workflowBundle } from './releases/workflow-bundle.ts'

const log = pino({ name: 'svc-worker', level: logLevel(process.env) })
const retryMs = 1_000

Runtime.install({
  shutdownSignals: [],
  logger: new DefaultLogger('WARN', ({ level, message, meta }) =>
    log.warn({ level, ...meta, error: String(meta?.['error'] ?? '') }, message),
  ),
})

const settings = temporalSettings(process.env)
const releases = releaseMode(process.env)
const metrics = createWorkerMetrics(() => performance.now())
const cluster = connectCluster({ onRequest: metrics.onClusterRequest, onSkew: (aheadMs) => logSkew(log, aheadMs) })
metrics.watchClock(cluster.clock)
const scraped = metricsSettings(process.env)
let running: RunningWorker | undefined
let stopping = false

/**
 * The release with the workflow bundle of the image, else with a cached one; without either the worker bundles the
 * workflows itself.
 */
async function thisRelease(): Promise<Release> {
  const given = process.env['SVC_WORKFLOW_BUNDLE']
  if (given !== undefined && existsSync(given)) return await loadRelease(given)
  try {
    return await loadRelease(await workflowBundle())
  } catch (error) {
    log.info(
      { error: error instanceof Error ? error.message : String(error) },
      'the workflows are bundled in the worker itself',
    )
    return await loadRelease()
  }
}

/** Starts the worker, and tries again until cluster and Temporal answer; the log has the cause of each wait. */
async function start(): Promise<void> {
  while (!stopping) {
    try {
      running = await startWorker({
        cluster,
        temporal: settings,
        placement: placementSettings(process.env),
        objectServer: objectServerSettings(process.env),
        backupImage: backupImage(process.env),
        binlogImage: binlogImage(process.env),
        builder: builderSettings(process.env),
        exposure: exposureSettings(process.env),
        registries: registriesOf(process.env),
        imageRemover: imageRemoverOf(process.env),
        clouds: cloudsOf(process.env),
        gitHost: gitHostSettings(process.env),
        privateWebhooks: allowsPrivate(process.env),
        log,
        now: () => new Date(cluster.clock.now()),
        metrics,
        release: await thisRelease(),
        releases,
      })
      await Promise.race([running.decided, running.done])
      log.info({ temporal: settings.address }, 'the worker is ready')
      await running.done
      return
    } catch (error) {
      if (stopping) return
      // A worker that ran and then failed exits: its supervisor starts a new process.
      if (running !== undefined) {
        log.error({ error: error instanceof Error ? error.message : String(error) }, 'the worker failed')
        process.exit(1)
      }
      log.warn(
        { error: error instanceof Error ? error.message : String(error) },
        'the worker cannot run yet; trying again',
      )
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    void (async () => {
      await running?.stop()
      await cluster.close()
      process.exit(0)
    })()
  })
}

if (scraped !== undefined) {
  // Another worker on this machine may have the port: then this one works without serving metrics.
  await serveRegistry(metrics.registry, scraped).then(
    ({ port }) => log.info({ port }, 'the metrics of the worker are served'),
    (error: unknown) =>
      log.error({ port: scraped.port, error: String(error) }, 'the metrics of the worker are not served'),
  )
}
collectWhenIdle()
await start()
