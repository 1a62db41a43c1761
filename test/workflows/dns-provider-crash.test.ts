/**
 * Worker processes killed at their writes to the DNS provider (a stand-in for Cloudflare), and what logs and histories
 * contain afterwards.
 */
import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { eventually } from '../cluster/eventually.ts'
import { dnsWithinMs } from '../harness/dns-server.ts'
import { wakeWith } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { testPolicy } from '../harness/worker.ts'
import { useBundle } from '../kill/enumerated.ts'
import { type MortalProcess, startProcess } from '../kill/mortal-process.ts'
import { makePlatformWorld, platformId, platformPolicy, type PlatformWorld } from './platform-world.ts'

const root = 'crash.test'
const dashboard = `svc.${root}`
const waitMs = 90_000

describe('a worker that is killed while it writes to the DNS provider (a stand-in for Cloudflare)', function () {
  this.timeout(240_000)
  let world: PlatformWorld
  let worker: MortalProcess
  let folder: string
  const policy = { ...testPolicy, ...platformPolicy, heartbeatMs: 2_000 }

  before(async function () {
    this.timeout(dnsWithinMs)
    folder = await mkdtemp(join(tmpdir(), 'svc-dns-crash-'))
    world = await makePlatformWorld(root)
    wakeWith(policy)
    worker = await start()
  })
  beforeEach(() => world.reset())
  after(async () => {
    await worker.kill()
    await world.stop()
    await rm(folder, { recursive: true, force: true })
    wakeWith(testPolicy)
  })

  async function start(): Promise<MortalProcess> {
    const { kubeconfig, temporalAddress } = await useStack()
    return startProcess({
      entry: 'test/kill/mortal-worker.ts',
      ready: '"the worker is ready"',
      logFile: join(folder, 'log'),
      env: {
        KUBECONFIG: kubeconfig,
        SVC_TEMPORAL_ADDRESS: temporalAddress,
        SVC_POLICY: JSON.stringify(policy),
        SVC_WORKFLOW_BUNDLE: await useBundle(),
        SVC_WEBHOOK_PRIVATE: '1',
        ...world.env,
      },
    })
  }
  /** Kills the worker at the next matching call; with `before`, the call never arrives. */
  const killAt = (when: 'before' | 'after', call: RegExp) => {
    let done = false
    world.provider.onWrite(async (moment, at) => {
      if (done || moment !== when || !call.test(at)) return
      done = true
      await worker.kill()
      if (when === 'before') throw new Error('the caller is gone')
    })
    return async () => {
      await worker.gone
      worker = await start()
    }
  }
  const held = () =>
    world.provider
      .zone(root)
      .records.map(({ type, name }) => `${type} ${name}`)
      .toSorted()

  for (const when of ['before', 'after'] as const) {
    it(`${when} a record is made: there is one in the end`, async () => {
      world.provider.zone(root)
      const restarted = killAt(when, /^POST .*dns_records$/)
      await world.saveDomain()
      await world.connect()
      await restarted()
      await world.untilSaid('CloudflareReady', 'Connected')
      expect(held()).to.deep.equal([`A ${dashboard}`])
    })

    it(`${when} a record is removed: there is none in the end, and no token`, async () => {
      world.provider.zone(root)
      await world.saveDomain()
      await world.connect()
      await world.untilSaid('CloudflareReady', 'Connected')
      const restarted = killAt(when, /^DELETE .*dns_records/)
      await world.disconnect()
      await restarted()
      const { client } = await useStack()
      const account = () =>
        client.get({ type: coreTypes.secret, namespace: 'svc-system', name: 'platform-dns-account' })
      await eventually('the account is forgotten', async () => (await account()) === undefined, waitMs)
      expect(held()).to.deep.equal([])
    })
  }

  it('after the tunnel is made: there is one in the end, and no secret of it in histories, logs, Events or records', async () => {
    world.provider.zone(root)
    const restarted = killAt('after', /^POST .*cfd_tunnel$/)
    await world.saveDomain({ dashboardExposure: 'cloudflare-tunnel' })
    await world.connect()
    await restarted()
    await world.untilSaid('CloudflareReady', 'Ready')
    expect(world.provider.tunnels).to.have.length(1)
    const { workflow } = await useClient()
    const texts = [await readFile(join(folder, 'log'), 'utf8')]
    for await (const { runId } of workflow.list({ query: `WorkflowId = "${platformId}"` })) {
      texts.push(historyToJSON(await workflow.getHandle(platformId, runId).fetchHistory()))
    }
    texts.push(historyToJSON(await workflow.getHandle(platformId).fetchHistory()))
    const { client } = await useStack()
    for (const type of [coreTypes.event, coreTypes.deployment, coreTypes.configMap])
      texts.push(JSON.stringify((await client.list<KubeObject>(type)).items))
    texts.push(JSON.stringify(world.store.cache.list()))
    for (const secret of [world.provider.token, world.provider.tunnels[0]?.token ?? 'none']) {
      for (const form of [
        secret,
        Buffer.from(secret).toString('base64'),
        Buffer.from(JSON.stringify(secret)).toString('base64'),
      ]) {
        expect(texts.some((text) => text.includes(form))).to.equal(false)
      }
    }
  })
})
