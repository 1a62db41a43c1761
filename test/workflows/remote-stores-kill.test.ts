/**
 * Workers that are killed around each call that makes or removes something of a remote store: the next worker completes
 * the action. moto stands in for AWS.
 */
import { expect } from 'chai'
import { labels } from '../../kinds/meta/annotations.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { policyName, userNameOf } from '../../kinds/object-stores/remote.ts'
import { lookAtBucket } from '../../outside/aws/buckets.ts'
import { listKeys, lookAtUser } from '../../outside/aws/users.ts'
import { motoWithinMs } from '../harness/moto.ts'
import { secretValues, untilGone, untilReady } from '../harness/object-server.ts'
import { type CloudWorld, openCloudWorld } from './cloud-world.ts'

describe('a worker of a remote store that is killed (moto stands in for AWS)', function () {
  this.timeout(120_000)
  let world: CloudWorld

  before(async function () {
    this.timeout(motoWithinMs)
    world = await openCloudWorld('test/kill/mortal-worker.ts')
  })
  after(() => world.close())

  const aws = () => world.moto.account()
  const secretOf = ({ spec, metadata }: ObjectStore) =>
    secretValues(namespaceOf(spec.project, spec.environment), `${metadata.name}-connection`)

  /** Kills the worker after the call took effect and before its answer arrives. */
  function dieAfter(operation: string, store: ObjectStore): void {
    const about = operation.endsWith('Bucket') ? (store.spec.buckets[0] ?? '') : userNameOf(store.metadata.name)
    world.proxy.add({ operation, fault: 'dropped after', times: 1, about, meanwhile: () => world.worker.kill() })
  }

  async function expectWhole(store: ObjectStore): Promise<void> {
    const user = userNameOf(store.metadata.name)
    expect((await lookAtUser(aws(), user))?.[labels.owner]).to.equal(store.metadata.uid)
    expect((await aws().iam((iam) => iam.listUserPolicies({ UserName: user }))).PolicyNames).to.deep.equal([policyName])
    expect(await listKeys(aws(), user)).to.deep.equal([(await secretOf(store))?.['accessKey']])
    const look = await lookAtBucket(aws(), store.spec.buckets[0] ?? '')
    expect(look.found === 'open' ? look.tags[labels.owner] : look.found).to.equal(store.metadata.uid)
  }

  for (const operation of ['CreateBucket', 'CreateUser', 'CreateAccessKey']) {
    it(`after ${operation} took effect leaves one bucket, one user, one policy and one key in the end`, async () => {
      const { worker } = world
      const store = await world.store()
      dieAfter(operation, store)
      await worker.gone
      await world.restart()
      await untilReady(world.records, store)
      await expectWhole(store)
    })
  }

  it('after the key was written into the connection Secret leaves one key, and that is the one', async () => {
    const { worker } = world
    const store = await world.store()
    worker.arm({ when: 'after', write: 1, about: `${store.metadata.name}-connection` })
    await worker.gone
    await world.restart()
    await untilReady(world.records, store)
    await expectWhole(store)
  })

  it('after each thing that a deletion removes leaves nothing in the end', async () => {
    const store = await untilReady(world.records, await world.store())
    const [operations, user] = [['DeleteAccessKey', 'DeleteBucket', 'DeleteUser'], userNameOf(store.metadata.name)]
    for (const operation of operations) dieAfter(operation, store)
    await world.records.objectStores.remove(store.metadata.name, store.metadata.uid ?? '')
    for (const _ of operations) {
      await world.worker.gone
      await world.restart()
    }
    await untilGone(world.records, store)
    expect(await lookAtUser(aws(), user)).to.equal(undefined)
    expect((await lookAtBucket(aws(), store.spec.buckets[0] ?? '')).found).to.equal('absent')
    expect(await secretOf(store)).to.equal(undefined)
  })
})
