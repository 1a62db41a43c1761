/** A Secret that passes keep: one that was cut off between its read and its write changes nothing after a later one. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { keepSecret, makeSecretOnce, readOwnSecret } from '../../../activities/kube/own-secret.ts'
import type { ClusterClient } from '../../../cluster/client.ts'
import { isConflict } from '../../../cluster/objects/errors.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { useStack } from '../../harness/stack.ts'

describe('a Secret that is kept for a record', () => {
  const secret = {
    name: `kept-${randomBytes(4).toString('hex')}`,
    namespace: 'default',
    owner: randomBytes(8).toString('hex'),
    purpose: 'connection',
  }
  let client: ClusterClient

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
  })
  afterEach(() => client.delete({ type: coreTypes.secret, namespace: secret.namespace, name: secret.name }))

  const password = async () => (await readOwnSecret(client, secret))?.values['password']

  /** A client whose next apply waits until a later pass has written. */
  const cutOff = (later: () => Promise<void>): ClusterClient => ({
    ...client,
    apply: async (...asked) => {
      await later()
      return client.apply(...asked)
    },
  })
  const outcomeOf = (written: Promise<unknown>) => written.then(() => 'written', (error: unknown) => (isConflict(error) ? "conflict" : String(error))) // prettier-ignore

  it('has the values of the pass that came last, not of one that was cut off', async () => {
    await keepSecret(client, secret, { password: 'first' })
    const later = () => keepSecret(client, secret, { password: 'newest' })
    expect(await outcomeOf(keepSecret(cutOff(later), secret, { password: 'late' }))).to.equal('conflict')
    expect(await password()).to.equal('newest')
  })

  it('is completed once', async () => {
    const complete = (by: ClusterClient, made: string) =>
      makeSecretOnce(by, secret, () => Promise.resolve({ username: 'app', password: made }))
    await keepSecret(client, secret, { username: 'app' })
    const later = async () => void (await complete(client, 'newest'))
    expect(await outcomeOf(complete(cutOff(later), 'late'))).to.equal('conflict')
    expect(await password()).to.equal('newest')
  })
})
