/**
 * The api process of kill tests: the real api on a client that can kill it at any write, when its parent sends the
 * order.
 */
import { pino } from 'pino'
import { createMetrics } from '../../api/probes/metrics.ts'
import { apiSettings } from '../../api/process/process-settings.ts'
import { startApi } from '../../api/process/start.ts'
import { connectCluster } from '../../cluster/client.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { Handovers } from '../../temporal/client/handovers.ts'
import { createPushes } from '../../temporal/client/pushes.ts'
import { createRedeliveries } from '../../temporal/client/redeliveries.ts'
import { createRuns } from '../../temporal/client/runs.ts'
import { createScheduleStarts } from '../../temporal/client/schedules.ts'
import { createWakes } from '../../temporal/client/wakes.ts'
import { lateClient } from '../harness/late-client.ts'
import { endWithParent } from './end-with-parent.ts'
import { type Death, endAtOnce, mortalClient } from './mortal-client.ts'

const log = pino({ name: 'svc-api' })
const { client, arm } = mortalClient(lateClient(connectCluster()), endAtOnce)
process.on('message', (death: Death) => arm(death))
endWithParent()

const settings = temporalSettings(process.env)
const { policy, searchable } = settings
const options = { client: connectTemporal(settings).client, policy, searchable }
const wakes = createWakes(options, log, new Handovers())
const pushes = createPushes(options)
const runs = createRuns(options)
const redeliveries = createRedeliveries(options)
const scheduleStarts = createScheduleStarts(options)
const metrics = createMetrics(() => performance.now())

// Ends when the cluster is not up, as the real api does: its parent starts it again.
const api = await startApi({
  settings: apiSettings(process.env),
  client,
  wakes,
  pushes,
  runs,
  redeliveries,
  scheduleStarts,
  log,
  metrics,
})
process.send?.({ port: api.port })
console.log('the api is ready')
