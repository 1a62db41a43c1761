/** How many schedules of a service fail, as its status says it: noted by several workers at once. */
import { expect } from 'chai'
import { note } from '../../../activities/functions/note.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { scheduleFailures } from '../../../contract/limits.ts'
import type { App } from '../../../kinds/apps/kind.ts'
import { functionRunsName } from '../../../kinds/apps/names.ts'
import type { FunctionRun } from '../../../kinds/apps/functions/schedules.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { createApp, createProject, type TestRecords, useRecords } from '../../harness/records.ts'
import { withoutWorker } from '../../harness/worker.ts'

const release = 'release-one'

describe('the number of schedules that fail', () => {
  let records: TestRecords
  let app: App
  let minute = 0

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
  })
  beforeEach(async () => {
    app = await createApp(records, await createProject(records))
    const ref = { type: resourceTypes.app, namespace: systemNamespace, name: app.metadata.name }
    app = await records.client.patch<App>(
      ref,
      { status: { schedules: ['first', 'second'], failingSchedules: 0 } },
      { subresource: 'status' },
    )
  })
  afterEach(() =>
    records.client.delete({
      type: coreTypes.configMap,
      namespace: systemNamespace,
      name: functionRunsName(app.metadata.name),
    }),
  )

  const run = (trigger: string, phase: FunctionRun['phase']): FunctionRun => {
    const planned = new Date(Date.UTC(2026, 0, 1, 0, (minute += 1))).toISOString()
    return { id: `${trigger} ${planned}`, release, planned, phase, lateMs: 0, ms: 1, message: '' }
  }
  /** `seen` is the record as it was read before the function was called. */
  const ends = (trigger: string, phase: FunctionRun['phase'], seen = app, { client, apps } = records): Promise<void> =>
    note({ client, apps }, seen, { trigger, schedule: '* * * * *' }, run(trigger, phase))
  const fails = async (trigger: string, times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) await ends(trigger, 'Failed')
  }
  const live = async (): Promise<App> => (await records.apps.readLive(app.metadata.name)) ?? app
  const failing = async (): Promise<number | undefined> => (await live()).status?.failingSchedules

  it('is that of all runs, also where another schedule went well while the function was called', async () => {
    await fails('first', scheduleFailures)
    await fails('second', scheduleFailures - 1)
    const seen = await live()
    expect(seen.status?.failingSchedules).to.equal(1)
    await ends('first', 'Succeeded')
    expect(await failing()).to.equal(0)
    await ends('second', 'Failed', seen)
    expect(await failing()).to.equal(1)
  })

  it('is that of all runs, also where another was noted right before it is written', async () => {
    await fails('first', scheduleFailures)
    await fails('second', scheduleFailures - 1)
    const seen = await live()
    let isFirst = true
    const patch: typeof records.client.patch = async (...given) => {
      if (isFirst) {
        isFirst = false
        await ends('second', 'Failed', seen)
      }
      return records.client.patch(...given)
    }
    await ends('first', 'Succeeded', seen, { ...records, client: { ...records.client, patch } })
    expect(await failing()).to.equal(1)
  })
})
