/** A run of a schedule whose call finds no worker: the workers of both queues are the test's own, all else is real. */
import { expect } from 'chai'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type { Called, NoteInput, ScheduleRunInput } from '../../activities/functions/messages.ts'
import { policyWith } from '../../durable/policy.ts'
import { functionQueue } from '../../durable/queues.ts'
import { temporalSettings } from '../../temporal/client/client.ts'
import { workflowBundle } from '../../temporal/releases/workflow-bundle.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'

const id = 'function/nobody-there/tick'

describe('a run of a schedule whose call waits for a worker', function () {
  this.timeout(60_000)
  let connection: NativeConnection
  const stops: (() => Promise<void>)[] = []
  const notes: NoteInput[] = []
  let calls = 0

  const activities = {
    callFunction: async (): Promise<Called> => {
      calls += 1
      return { outcome: 'ended', phase: 'Succeeded', message: 'answered 204', ms: 1, isNoted: true }
    },
    noteFunctionRun: async (note: NoteInput): Promise<void> => void notes.push(note),
  }
  const start = async (taskQueue: string, does: object) => {
    const { temporalAddress } = await useStack()
    const { namespace } = temporalSettings({ SVC_TEMPORAL_ADDRESS: temporalAddress })
    const worker = await Worker.create({ connection, namespace, taskQueue, ...does })
    const running = worker.run()
    stops.push(() => (worker.shutdown(), running))
  }

  before(async () => {
    await withoutWorker()
    Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR') })
    const { temporalAddress } = await useStack()
    const { address } = temporalSettings({ SVC_TEMPORAL_ADDRESS: temporalAddress })
    connection = await NativeConnection.connect({ address })
    await start('schedule-run', { workflowBundle: { codePath: await workflowBundle() } })
  })
  after(async () => {
    await Promise.all(stops.map((stop) => stop()))
    await connection?.close()
  })

  it('is missed once it is later than a run may be, and sends nothing', async () => {
    const input: ScheduleRunInput = {
      ...{ app: 'nobody-there', uid: 'uid-1', project: 'proj-00000001', environment: 'production' },
      ...{ trigger: 'tick', schedule: '* * * * *', release: 'nobody-there-abcde' },
      policy: policyWith({ ...testPolicy, scheduleCatchUpMs: 1_000 }),
      searchable: false,
    }
    const { workflow } = await useClient()
    const run = await workflow.start('scheduleRun', { taskQueue: 'schedule-run', workflowId: id, args: [input] })
    const failure = run.result().catch((error: unknown) => error)
    await eventually(
      'the call is late',
      // A timeout of Temporal comes up to two seconds late.
      async () => Date.now() - (await run.describe()).startTime.getTime() > 6_000,
      20_000,
    )
    await start(functionQueue, { activities })
    await failure
    expect(calls).to.equal(0)
    expect(notes.map(({ phase, message }) => ({ phase, message }))).to.deep.equal([
      { phase: 'Missed', message: 'no worker was there to run it in time' },
    ])
  })
})
