/** A worker that dies right before or after a write of a function's deploy: the next one completes it, once. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import {
  createApp,
  createProject,
  deploy,
  wakeWith,
  type TestRecords,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { pointsOf } from '../kill/write-points.ts'
import { attemptIn, edit, liveDeployment, untilSetUp } from './service-world.ts'

const source = (code: string) => ({
  source: { function: { runtime: 'python' as const, mode: 'http' as const, code, triggers: [] } },
})

describe('the deploy of a function whose worker dies', function () {
  this.timeout(120_000)
  let records: TestRecords
  let project: Project
  let worker: MortalProcess

  before(async function () {
    this.timeout(180_000)
    records = await useRecords()
    await withoutWorker()
    wakeWith(killPolicy)
    worker = await startMortalWorker()
    project = await createProject(records)
    await untilSetUp(records, project)
  })
  after(async () => {
    wakeWith(testPolicy)
    await worker.kill()
  })

  const points = pointsOf(
    [
      ['after', 3],
      ['before', 6],
    ] as const,
    [['after', 1] as const],
  )
  for (const [when, write] of points)
    it(`${when} write ${write} of a second deploy ends with that code alone`, async () => {
      const app = await createApp(records, project, source('first = 1'))
      const first = attemptIn(await deploy(records, app))
      await untilState(records, app, 'ready', first)
      await edit(records, app, () => source('second = 2'))
      worker.arm({ when, write, about: app.metadata.name, holding: '' })
      const second = attemptIn(await deploy(records, app))
      await worker.gone
      worker = await startMortalWorker()
      await untilState(records, app, 'ready', second)
      const { items } = await records.client.list<KubeObject & { data?: Record<string, string> }>(coreTypes.configMap, {
        namespace: targetNamespace(app.spec),
        labelSelector: `${labels.owner}=${app.metadata.uid ?? ''}`,
      })
      expect(items.map(({ metadata, data }) => [metadata.name, data])).to.deep.equal([
        [`${second}-code`, { 'main.py': 'second = 2' }],
      ])
      expect((await liveDeployment(records, app))?.spec.template.spec.containers[0]?.image).to.equal(
        'svc/function-python:1',
      )
    })
})
