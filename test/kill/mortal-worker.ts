/**
 * The worker process of kill tests: the real worker on a client that can kill it at any write, when its parent sends
 * the order.
 */
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { pino } from 'pino'
import { logLevel } from '../../outside/process/log-level.ts'
import { connectCluster } from '../../cluster/client.ts'
import { gitHostSettings } from '../../outside/githost/addresses.ts'
import { allowsPrivate } from '../../outside/webhooks/sender.ts'
import { temporalSettings } from '../../temporal/client/client.ts'
import { builderSettings } from '../../temporal/settings/builder.ts'
import { cloudsOf } from '../../temporal/settings/clouds.ts'
import { placementSettings } from '../../temporal/settings/placement.ts'
import { backupImage, binlogImage } from '../../temporal/settings/backups.ts'
import { objectServerSettings } from '../../temporal/settings/object-server.ts'
import { exposureSettings } from '../../temporal/settings/exposure.ts'
import { releaseMode } from '../../temporal/releases/keep-current.ts'
import { loadRelease } from '../../temporal/releases/release.ts'
import { startWorker } from '../../temporal/worker.ts'
import { lateClient } from '../harness/late-client.ts'
import { endWithParent } from './end-with-parent.ts'
import { type Death, endAtOnce, mortalClient } from './mortal-client.ts'

const log = pino({ name: 'svc-worker', level: logLevel(process.env) })
const retryMs = 500

Runtime.install({
  shutdownSignals: [],
  logger: new DefaultLogger('WARN', ({ level, message, meta }) =>
    log.warn({ level, ...meta, error: String(meta?.['error'] ?? '') }, message),
  ),
})

const { client, arm } = mortalClient(lateClient(connectCluster()), endAtOnce)
const codePath = process.env['SVC_WORKFLOW_BUNDLE']
process.on('message', (death: Death) => arm(death))
endWithParent()

/** As temporal/main.ts does: the servers may come up after the worker. */
for (;;) {
  try {
    const worker = await startWorker({
      cluster: client,
      temporal: temporalSettings(process.env),
      placement: placementSettings(process.env),
      clouds: cloudsOf(process.env),
      gitHost: gitHostSettings(process.env),
      objectServer: objectServerSettings(process.env),
      backupImage: backupImage(process.env),
      binlogImage: binlogImage(process.env),
      builder: builderSettings(process.env),
      exposure: exposureSettings(process.env),
      privateWebhooks: allowsPrivate(process.env),
      log,
      release: await loadRelease(codePath),
      releases: releaseMode(process.env),
    })
    await Promise.race([worker.decided, worker.done])
    log.info({}, 'the worker is ready')
    await worker.done
  } catch (error) {
    log.warn(
      { error: error instanceof Error ? error.message : String(error) },
      'the worker cannot run yet; trying again',
    )
  }
  await new Promise((resolve) => setTimeout(resolve, retryMs))
}
