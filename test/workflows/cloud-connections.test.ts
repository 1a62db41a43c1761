/**
 * The workflow of cloud connections: it checks their keys, checks again when the keys change, and keeps a connection
 * while resources use it. moto stands in for AWS, a small server for PlanetScale.
 */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, finalizers } from '../../kinds/meta/annotations.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { motoWithinMs } from '../harness/moto.ts'
import { removeStore, secretValues, untilReady } from '../harness/object-server.ts'
import { until } from '../harness/records.ts'
import { type CloudWorld, openCloudWorld, unique } from './cloud-world.ts'

describe('a cloud connection (moto stands in for AWS, a small server for PlanetScale)', function () {
  this.timeout(90_000)
  let world: CloudWorld

  before(async function () {
    this.timeout(motoWithinMs)
    world = await openCloudWorld()
  })
  after(() => world.close())

  const untilSaid = async (name: string, reason: string, message: string | RegExp): Promise<CloudConnection> => {
    const said = (record: CloudConnection | undefined): boolean => {
      const ready = readyOf(record?.status?.conditions)
      return (
        ready?.reason === reason &&
        (typeof message === 'string' ? ready.message === message : message.test(ready.message))
      )
    }
    return until(world.records.cloudConnections, { metadata: { name } }, said, `${reason}: ${String(message)}`)
  }
  const writeKeys = (name: string, texts: Record<string, string>) =>
    world.records.client.patch(
      { type: coreTypes.secret, namespace: systemNamespace, name: `${name}-credentials` },
      { stringData: texts },
    )
  const gone = (name: string) =>
    until(world.records.cloudConnections, { metadata: { name } }, (record) => record === undefined, 'gone')
  const remove = async (name: string) => {
    const found = await world.records.cloudConnections.readLive(name)
    await world.records.cloudConnections.remove(name, found?.metadata.uid ?? '')
  }

  it('to AWS is Connected, and says which account it is', async () => {
    const found = await untilSaid(world.connection, 'Connected', /^connected to AWS: \d{12}$/)
    expect(readyOf(found.status?.conditions)?.status).to.equal('True')
    expect(found.status?.account).to.match(/^\d{12}$/)
    expect(found.metadata.finalizers).to.deep.equal([finalizers.cloudConnection])
  })

  it('to PlanetScale is Connected while the token is good, and checked again for a retry', async () => {
    const name = unique('planet')
    world.planetScale.status = 200
    await world.connect({
      name,
      provider: 'PlanetScale',
      organization: 'shop',
      keys: { token: 'id:token-value', organization: 'shop' },
    })
    await untilSaid(name, 'Connected', 'connected to PlanetScale: shop')
    Object.assign(world.planetScale, {
      status: 401,
      body: { code: 'unauthorized', message: 'the token token-value is revoked' },
    })
    await world.records.cloudConnections.edit(name, (current) => ({
      ...current,
      metadata: { ...current.metadata, annotations: { [annotations.retry]: 'again' } },
    }))
    const refused = await untilSaid(name, 'CredentialsInvalid', '401: unauthorized: the token *** is revoked')
    expect(readyOf(refused.status?.conditions)?.status).to.equal('False')
    world.planetScale.status = 503
    await writeKeys(name, { token: 'id:another-value' })
    await untilSaid(name, 'ReconcileError', /^503: unauthorized: /)
    world.planetScale.status = 200
    await untilSaid(name, 'Connected', 'connected to PlanetScale: shop')
  })

  it('made with kubectl says that its keys are not there, and is Connected once they are written', async () => {
    const name = unique('account')
    await world.records.cloudConnections.create({
      apiVersion,
      kind: resourceTypes.cloudConnection.kind,
      metadata: { name, namespace: systemNamespace },
      spec: {
        provider: 'AWS',
        project: world.project,
        secretRef: { name: `${name}-credentials` },
        region: '',
        organization: '',
      },
    })
    await untilSaid(
      name,
      'CredentialsIncomplete',
      `Secret ${name}-credentials is missing, or lacks the label svc.dev/project=${world.project}`,
    )
    const labels = { 'svc.dev/purpose': 'cloud-credentials', 'svc.dev/project': world.project }
    const metadata = { name: `${name}-credentials`, namespace: systemNamespace, labels }
    const data = { accessKeyId: Buffer.from(world.moto.keys.accessKeyId).toString('base64') }
    await world.records.client.create(coreTypes.secret, { apiVersion: 'v1', kind: 'Secret', metadata, data })
    await untilSaid(name, 'CredentialsIncomplete', `Secret ${name}-credentials lacks secretAccessKey`)
    await writeKeys(name, { ...world.moto.keys })
    await untilSaid(name, 'Connected', /^connected to AWS/)
  })

  it('with keys that AWS does not know is CredentialsInvalid until they are changed', async () => {
    const name = unique('account')
    await world.moto.enforce(true)
    try {
      await world.connect({
        name,
        keys: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'a-wrong-secret-access-key' },
      })
      await untilSaid(name, 'CredentialsInvalid', /^403: InvalidClientTokenId: /)
      await writeKeys(name, { ...world.moto.keys })
      await untilSaid(name, 'Connected', /^connected to AWS/)
    } finally {
      await world.moto.enforce(false)
    }
  })

  it('is waited for while AWS does not answer', async () => {
    const name = unique('account')
    const { accessKeyId, secretAccessKey } = world.moto.keys
    const { heal } = world.proxy.add({ operation: 'GetCallerIdentity', fault: 'reset', about: '' })
    try {
      await world.connect({ name, keys: { accessKeyId, secretAccessKey } })
      await untilSaid(name, 'ReconcileError', 'AWS does not answer: ECONNRESET')
    } finally {
      heal()
    }
    await untilSaid(name, 'Connected', /^connected to AWS/)
  })

  it('is held while a store uses it, names that, and goes with its keys', async () => {
    const name = unique('account')
    await world.connect({ name })
    const store = await untilReady(world.records, await world.store({ connectionRef: { name } }))
    await remove(name)
    const held = await untilSaid(name, 'ReconcileError', `in use; delete these first: ${store.metadata.name}`)
    expect(held.metadata.deletionTimestamp).not.to.equal(undefined)
    expect(await secretValues(systemNamespace, `${name}-credentials`)).not.to.equal(undefined)
    await removeStore(world.records, store)
    await gone(name)
    expect(await secretValues(systemNamespace, `${name}-credentials`)).to.equal(undefined)
  })
})
