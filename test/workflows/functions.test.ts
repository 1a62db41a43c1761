/** Deploys of functions on real servers: what is made, what goes, and the names in the records. */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { acceptRollback } from '../../records/apps/accept-rollback.ts'
import { createApp, deploy, type TestRecords, until, untilGone, untilState } from '../harness/records.ts'
import { startTestWorker, useWorker, withoutWorker } from '../harness/worker.ts'
import { attemptIn, edit, liveDeployment, openWorld, stepsOf } from './service-world.ts'

const source = (code: string): Pick<AppSpec, 'source'> => ({
  source: { function: { runtime: 'node', mode: 'http', code, triggers: [] } },
})

describe('a function', function () {
  this.timeout(90_000)
  let records: TestRecords
  let project: Project

  before(async () => {
    ;({ records, project } = await openWorld())
  })

  /** Its objects with code: release and content. */
  async function codes(app: App): Promise<Record<string, string>> {
    const { items } = await records.client.list<KubeObject & { data?: Record<string, string> }>(coreTypes.configMap, {
      namespace: targetNamespace(app.spec),
      labelSelector: `${labels.owner}=${app.metadata.uid ?? ''}`,
    })
    return Object.fromEntries(items.map(({ metadata, data }) => [metadata.name, data?.['index.mts'] ?? '']))
  }

  it('runs the code of its release, and the code before goes with the release before', async () => {
    const app = await createApp(records, project, source('export default 1'))
    const first = attemptIn(await deploy(records, app))
    const ready = await untilState(records, app, 'ready', first)
    expect(ready.status?.image).to.equal('svc/function-node:1')
    expect((await liveDeployment(records, app))?.spec.template.spec.containers[0]?.image).to.equal(
      'svc/function-node:1',
    )
    expect(await codes(app)).to.deep.equal({ [`${first}-code`]: 'export default 1' })
    expect((await records.deployments.readLive(first))?.spec.image).to.equal('function:node')
    const active = await until(
      records.deployments,
      { metadata: { name: `${app.metadata.name}-active` } },
      (record) => record?.status?.phase === 'Available',
      'Available',
    )
    expect(active.spec.image).to.equal('svc/function-node:1')
    expect(await stepsOf(records, first)).to.include('image svc/function-node:1')

    await edit(records, app, () => source('export default 2'))
    const second = attemptIn(await deploy(records, app))
    await untilState(records, app, 'ready', second)
    expect(await codes(app)).to.deep.equal({ [`${second}-code`]: 'export default 2' })

    const refused = await acceptRollback(records, ready, { revision: first, actor: 't', requestId: 't' }).then(
      () => 'accepted',
      (error: unknown) => String(error),
    )
    expect(refused).to.include('functions cannot be rolled back; restore the earlier code and deploy again')
    await records.client.delete({
      type: resourceTypes.app,
      namespace: app.metadata.namespace ?? '',
      name: app.metadata.name,
    })
    await untilGone(records, app)
    expect(await codes(app)).to.deep.equal({})
  })

  it('is refused in words where the worker has no runner for it, and what runs goes on', async () => {
    const app = await createApp(records, project, source('export default 1'))
    const first = attemptIn(await deploy(records, app))
    await untilState(records, app, 'ready', first)
    await withoutWorker()
    const without = await startTestWorker({}, undefined, { SVC_FUNCTION_IMAGES: '' })
    try {
      await deploy(records, app)
      const words = /no image runs functions of node here: SVC_FUNCTION_IMAGES of the worker names none/
      await until(records.apps, app, (seen) => words.test(readyOf(seen?.status?.conditions)?.message ?? ''), 'refused')
      expect((await liveDeployment(records, app))?.metadata.annotations?.[annotations.release]).to.equal(first)
    } finally {
      await without.stop()
      await useWorker()
    }
  })

  it('keeps the runner its deploy began with when a worker with other runners takes over', async () => {
    const app = await createApp(records, project, source('export default 1'))
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    await withoutWorker()
    const other = await startTestWorker({}, undefined, { SVC_FUNCTION_IMAGES: '{"node":"example.com/node:2"}' })
    await edit(records, app, () => ({ replicas: 2 }))
    await until(records.apps, app, (seen) => seen?.status?.replicas?.available === 2, 'two copies')
    const image = async () => (await liveDeployment(records, app))?.spec.template.spec.containers[0]?.image
    expect(await image()).to.equal('svc/function-node:1')
    await untilState(records, app, 'ready', attemptIn(await deploy(records, app)))
    expect(await image(), 'the next deploy').to.equal('example.com/node:2')
    await other.stop()
  })
})
