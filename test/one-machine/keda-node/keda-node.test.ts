/**
 * Services that sleep on a real node with KEDA itself: operator, metrics server, HTTP add-on. Their build takes a
 * quarter of an hour once, so the folder runs only when it is named.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { Agent } from 'undici'
import { connectCluster } from '../../../cluster/client.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { definitionOf, sleepTypes } from '../../../kinds/meta/resource-types.ts'
import { kubeconfigPath } from '../../../one-machine/node/certificates.ts'
import { chooseNetwork } from '../../../one-machine/node/network.ts'
import { eventuallyOnNode } from '../../cluster/eventually.ts'
import { makeServersOf, testServer } from '../../harness/servers.ts'
import { SleepingNode } from '../../serverless/sleeping-node.ts'
import { createKeda, installKedaKinds, type Keda } from './keda.ts'

const buildMs = 60 * 60_000
/** More than two copies are to answer at once, by the 100 that count as one copy's. */
const crowd = 250
const mostCopies = 3
/** KEDA's autoscaler looks every 15 s. */
const crowdSeconds = 75

/** Answers after a while, so that many are under way at once. */
const slow = `
require('node:http').createServer((asked, answer) => {
  setTimeout(() => answer.end('late'), asked.url === '/healthz' ? 0 : ${crowdSeconds * 1000})
}).listen(8080)`

interface Copies extends KubeObject {
  metadata: KubeObject['metadata'] & {
    managedFields?: { manager: string; subresource?: string; fieldsV1?: { 'f:spec'?: object } }[]
  }
  spec: { replicas: number }
}

describe('services that sleep by KEDA itself on a real node', function () {
  this.timeout(buildMs)
  const node = new SleepingNode()
  const { create, ask, status, untilAsleep, untilNoCopy } = node
  let keda: Keda
  let cluster: ReturnType<typeof connectCluster>
  let host = ''

  before(async () => {
    await makeServersOf('node')
    await Promise.all([testServer('traefik'), testServer('keda-interceptor')])
    await node.begin()
    const nodeDir = join(node.dataDir, 'node/node')
    await installKedaKinds(nodeDir)
    keda = await createKeda(nodeDir, await chooseNetwork(nodeDir), join(node.folder, 'keda'))
    expect(await node.running.stop()).to.equal(0)
    await node.begin({ SVC_SLEEP_SCALER: keda.scaler }, '--serverless')
    await node.untilServerless()
    await keda.start()
    await node.signIn()
    cluster = connectCluster({ kubeconfig: kubeconfigPath(nodeDir, 'admin') })
  })
  after(async () => {
    await cluster?.close()
    await keda?.stop()
    await node.remove()
  })

  const place = (name: string) => ({ namespace: `${node.project}-production`, name })
  const deploymentOf = async (name: string): Promise<Copies> => {
    const found = await cluster.get<Copies>({ type: coreTypes.deployment, ...place(name) })
    if (found === undefined) throw new Error(`${name} has no Deployment`)
    return found
  }
  /** Who says how many copies there are. */
  const scaledBy = async (name: string): Promise<string[]> =>
    ((await deploymentOf(name)).metadata.managedFields ?? [])
      .filter(({ fieldsV1 }) => 'f:replicas' in (fieldsV1?.['f:spec'] ?? {}))
      .map(({ manager }) => manager)

  it('the start leaves the copies to it', () => {
    expect(node.running.output).to.include('KEDA itself is on this cluster and scales the services')
  })

  it('a request to one that sleeps is answered by the copy that KEDA starts', async () => {
    host = await create('web', 'svc/hello:1', { readinessPath: '/healthz' })
    await untilAsleep('web')
    expect(await status('web')).to.include({ state: 'ready', ready: true })
    const since = performance.now()
    const answer = await ask(host)
    console.log(`      cold wake to the whole answer: ${Math.round(performance.now() - since)} ms`)
    expect(answer).to.include({ code: 200, cold: 'true' })
    expect(await ask(host)).to.include({ code: 200, cold: 'false' })
    // KEDA writes the scale of the Deployment, which notes no manager.
    expect(await scaledBy('web')).to.deep.equal([])
  })

  it('a hundred at once are all answered', async () => {
    await untilNoCopy('web')
    const agent = new Agent({ connections: 100 })
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(host, agent)))
    await agent.close()
    expect(new Set(answers.map(({ code }) => code))).to.deep.equal(new Set([200]))
  })

  it('more requests than a copy takes start as many copies as they need, and none is left after', async () => {
    const settings = { command: ['node', '-e', slow], readinessPath: '/healthz' }
    const many = await create('crowded', 'svc/function-node:1', settings, { scaleToZeroMax: mostCopies })
    const agent = new Agent({ connections: crowd, headersTimeout: 2 * crowdSeconds * 1000 })
    let most = 0
    const asked = Promise.all(Array.from({ length: crowd }, () => ask(many, agent)))
    let over = false
    void asked.finally(() => (over = true)).catch(() => undefined) // judged below
    while (!over) {
      most = Math.max(most, (await deploymentOf('crowded')).spec.replicas)
      await delay(1000)
    }
    expect(new Set((await asked).map(({ code }) => code))).to.deep.equal(new Set([200]))
    await agent.close()
    expect(most).to.equal(mostCopies)
    // Kubernetes' autoscaler takes copies away five minutes after they were needed last.
    await eventuallyOnNode('it sleeps', async () => (await status('crowded')).sleeping === true, 600_000)
  })

  it('a deploy of one that sleeps is verified by a copy, and it sleeps again after', async () => {
    await untilAsleep('web')
    await node.client.call('apps.update', { app: 'web', image: 'svc/hello:2' })
    await node.client.call('apps.deploy', { app: 'web' })
    await eventuallyOnNode('it is up', async () => {
      const { lastAttempt, pendingChanges } = await status('web')
      return lastAttempt?.phase === 'Succeeded' && pendingChanges === 0
    })
    await untilAsleep('web')
    expect((await ask(host)).text).to.match(/^hello from version 2/)
  })

  it('one that may not sleep any more is scaled by svc again, and its requests go there', async () => {
    await untilAsleep('web')
    await node.client.call('apps.update', { app: 'web', scaleToZero: false })
    await eventuallyOnNode('it is up', async () => (await status('web')).replicas.available === 1)
    await eventuallyOnNode('it answers itself', async () => (await ask(host)).cold === undefined)
    await eventuallyOnNode('svc alone says how many', async () => (await scaledBy('web')).join() === 'svc')
    expect(await cluster.get({ type: sleepTypes.scaler, ...place('web') })).to.equal(undefined)
  })

  it('its removal leaves the copies of those that slept', async () => {
    await untilAsleep('crowded')
    const definitions = [sleepTypes.scaler, sleepTypes.route].map(definitionOf)
    for (const name of definitions) await cluster.delete({ type: coreTypes.customResourceDefinition, name })
    // Its objects have a finalizer of KEDA's own.
    for (const name of definitions)
      await eventuallyOnNode(
        `${name} is gone`,
        async () => (await cluster.get({ type: coreTypes.customResourceDefinition, name })) === undefined,
      )
    await keda.stop()
    await eventuallyOnNode('it may not sleep', async () => (await status('crowded')).scaleToZero?.active === false)
    await eventuallyOnNode('it is up', async () => (await status('crowded')).replicas.available === 1)
    expect(await scaledBy('crowded')).to.deep.equal(['svc'])
  })
})
