/** The watch wakes a workflow exactly when there is work; judged by the wakes it sends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { eventually } from '../cluster/eventually.ts'
import { childrenOf, namespace, readyApp, useWatch } from './watch-world.ts'

describe('the watch', () => {
  const { sent, cluster, put, start, stop, missingOf, localWakes, quiet } = useWatch(2000)

  it('sends no wake when it restarts over 2,000 ready services', async function () {
    this.timeout(20_000)
    await stop()
    await start()
    await quiet()
    expect(sent).to.deep.equal([])
  })

  it('sends at most two hints for a burst of 100 edits', async () => {
    const app = readyApp(1)
    for (let index = 0; index < 100; index += 1) put({ ...app, spec: { ...app.spec, replicas: 2 + index } })
    await quiet()
    expect(sent.length).to.be.within(1, 2)
    put(app)
  })

  it('sends nothing for an edited draft, whose generation moves', async () => {
    const draft = readyApp(5000)
    const { status: _status, ...fresh } = draft
    put({
      ...fresh,
      spec: { ...draft.spec, deploy: { ...draft.spec.deploy, enabled: false } },
      metadata: { ...draft.metadata, generation: 7, annotations: { [annotations.pendingChanges]: 'created' } },
    })
    await quiet()
    expect(sent).to.deep.equal([])
  })

  it('sends nothing for a pending edit of a deployed service', async () => {
    const app = readyApp(2)
    put({
      ...app,
      metadata: {
        ...app.metadata,
        annotations: { ...app.metadata.annotations, [annotations.pendingChanges]: 'settings' },
      },
      spec: { ...app.spec, port: 9999 },
    })
    await quiet()
    expect(sent).to.deep.equal([])
  })

  it('sees that copies went away while it was not running', async () => {
    const app = readyApp(3)
    await stop()
    const [, deployment] = childrenOf(app)[0] ?? []
    if (deployment !== undefined) cluster.remove(coreTypes.deployment, deployment)
    await start()
    await quiet()
    expect(sent).to.deep.equal(['app/app-3 copies: the deployment of this service is missing'])
  })

  it('sees that a Service was deleted by hand', async () => {
    const child = childrenOf(readyApp(4)).find(([type]) => type === 'service')?.[1]
    if (child !== undefined) cluster.remove(coreTypes.service, child)
    await quiet()
    expect(sent).to.deep.equal(['app/app-4 missing: Service'])
    put({ ...readyApp(4), metadata: { ...readyApp(4).metadata, labels: { touched: 'yes' } } })
    await quiet()
    expect(sent, 'sent once').to.have.length(1)
    expect(missingOf('app-4'), 'and still due').to.equal('missing: Service')
  })

  it('gives a wake to the pass that waits for it in this process, and sends none', async () => {
    const child = childrenOf(readyApp(9)).find(([type]) => type === 'service')?.[1]
    localWakes().expect('app-9')
    const wait = localWakes().wait('app-9', 20_000)
    if (child !== undefined) cluster.remove(coreTypes.service, child)
    expect(await wait).to.equal(true)
    await quiet()
    expect(sent).to.deep.equal([])
  })

  it('sees that a Service that was made again was deleted once more within one window', async () => {
    const child = childrenOf(readyApp(8)).find(([type]) => type === 'service')?.[1]
    if (child === undefined) throw new Error('a service without a Service')
    cluster.remove(coreTypes.service, child)
    await eventually('the first loss wakes it', () => sent.length === 1)
    cluster.put(coreTypes.service, child)
    await sleep(20)
    cluster.remove(coreTypes.service, child)
    await quiet()
    expect(sent).to.deep.equal(['app/app-8 missing: Service', 'app/app-8 missing: Service'])
    cluster.put(coreTypes.service, child)
    await quiet()
  })

  it('owns by label, so a pod without it wakes no record', async () => {
    cluster.put(coreTypes.pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'stranger', namespace, labels: { [labels.managedBy]: 'svc' } },
    })
    await quiet()
    expect(sent).to.deep.equal([])
  })
})
