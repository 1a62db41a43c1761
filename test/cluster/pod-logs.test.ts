/** Logs of a pod on a simulated node, read and followed through the real kube-apiserver. */
import type { V1Pod } from '@kubernetes/client-node'
import { expect } from 'chai'
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isNotFound } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { followPodLogs, readPodLogs, readPodTail } from '../../cluster/pod-logs.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { useStack, type Stack } from '../harness/stack.ts'
import { eventually } from './eventually.ts'

const namespace = 'pod-logs'
const query = { namespace, pod: 'talker', container: 'c' }

describe('pod logs', () => {
  let stack: Stack
  const say = (text: string) =>
    appendFileSync(stack.cluster.containerLog, `${new Date().toISOString()} stdout F ${text}\n`)

  before(async function () {
    this.timeout(60_000)
    stack = await useStack()
    const { client } = stack
    await client.apply(coreTypes.namespace, { metadata: { name: namespace } }, { manager: 'test' })
    const pod: Sent<V1Pod> = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: query.pod, namespace },
      spec: { containers: [{ name: 'c', image: 'talker:1' }] },
    }
    await client.create(coreTypes.pod, pod)
    await eventually(
      'the pod runs',
      async () =>
        (await client.get<Sent<V1Pod>>({ type: coreTypes.pod, namespace, name: query.pod }))?.status?.phase ===
        'Running',
      20_000,
    )
    say('one')
    say('two')
    say('three')
  })

  after(() => stack.client.delete({ type: coreTypes.namespace, name: namespace }))

  it('are read as lines, the last ones if asked', async () => {
    expect((await readPodLogs(stack.client, query)).slice(-3)).to.deep.equal(['one', 'two', 'three'])
    expect(await readPodLogs(stack.client, { ...query, tailLines: 2 })).to.deep.equal(['two', 'three'])
    const [line] = await readPodLogs(stack.client, { ...query, tailLines: 1, timestamps: true })
    expect(line).to.match(/^\d{4}-\d\d-\d\dT[^ ]+ three$/)
  })

  it('of a pod that is not there are a 404', async () => {
    const error = await readPodLogs(stack.client, { ...query, pod: 'nobody' }).catch((reason: unknown) => reason)
    expect(isNotFound(error)).to.equal(true)
  })

  it('are followed as they are written, until the reader aborts', async () => {
    const controller = new AbortController()
    const seen: string[] = []
    const following = (async () => {
      for await (const line of followPodLogs(stack.client, { ...query, tailLines: 1, signal: controller.signal }))
        seen.push(line)
    })()
    await eventually('the last line comes', () => seen.length === 1)
    say('four')
    await eventually('the new line comes', () => seen.length === 2)
    controller.abort()
    await following
    expect(seen).to.deep.equal(['three', 'four'])
  })

  it('do not end the process when the reader aborts at an awkward moment', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('uncaughtExceptionMonitor', note)
    process.on('unhandledRejection', note)
    for (const afterMs of [0, 1, 5, 20, 60]) {
      const controller = new AbortController()
      const lines = followPodLogs(stack.client, { ...query, tailLines: 1, signal: controller.signal })
      const first = lines.next()
      await sleep(afterMs)
      controller.abort()
      await first
      // The test stops reading; then it closes the generator.
      await sleep(10)
      await lines.return(undefined)
    }
    const late = await stack.client.stream(`/api/v1/namespaces/${namespace}/pods/${query.pod}/log`, {
      query: { follow: true },
      silenceMs: 0,
      signal: AbortSignal.timeout(100),
    })
    await sleep(250)
    expect(late).to.not.equal(undefined)
    process.off('uncaughtExceptionMonitor', note)
    process.off('unhandledRejection', note)
    expect(unhandled).to.deep.equal([])
  })

  it('are cut short, and end with the newest line all the same', async () => {
    say('long '.padEnd(4_000, 'x'))
    say('the end')
    const bounded = { ...query, tailLines: 8, limitBytes: 1_000 }
    const cut = await readPodLogs(stack.client, bounded)
    expect(cut.join('\n').length).to.be.at.most(1_000)
    expect(cut).not.to.include('the end')
    expect(await readPodTail(stack.client, bounded)).to.deep.equal(['the end'])
  })
})
