/** The reads and writes of a login with rights in one namespace only, once that namespace is terminating or gone. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { ClusterError, isForbidden, isUnreachable } from '../../cluster/objects/errors.ts'
import { withForbiddenAsNotFound } from '../../cluster/forbidden-as-not-found.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'

const { namespace: namespaces, secret: secrets, node: nodes } = coreTypes

/** A client that refuses everything except the read of the namespace. */
function refusing(namespace: KubeObject | undefined): ClusterClient {
  const refuse = () => Promise.reject(new ClusterError(403, 'Forbidden', 'not allowed'))
  const client = {
    get: ({ type }: { type: object }) => (type === namespaces ? Promise.resolve(namespace) : refuse()),
    list: refuse,
    delete: refuse,
  }
  return withForbiddenAsNotFound(client as unknown as ClusterClient) // the function uses only these calls
}

const shop = (more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', ...more },
})
const calls: [string, (client: ClusterClient) => Promise<unknown>, unknown][] = [
  ['get', (client) => client.get({ type: secrets, namespace: 'shop', name: 'a' }), undefined],
  ['list', async (client) => (await client.list(secrets, { namespace: 'shop' })).items, []],
  ['delete', (client) => client.delete({ type: secrets, namespace: 'shop', name: 'a' }), false],
]
const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a refusal in a namespace', () => {
  for (const [what, call, nothing] of calls) {
    it(`that is gone means that nothing is there: ${what}`, async () =>
      expect(await call(refusing(undefined))).to.deep.equal(nothing))
    it(`that is being deleted means to ask again: ${what}`, async () => {
      expect(
        isUnreachable(await errorOf(call(refusing(shop({ deletionTimestamp: '2026-01-01T00:00:00Z' }))))),
      ).to.equal(true)
    })
    it(`that stands is a refusal: ${what}`, async () =>
      expect(isForbidden(await errorOf(call(refusing(shop()))))).to.equal(true))
  }
  it('is a refusal where there is no namespace to ask about', async () => {
    expect(isForbidden(await errorOf(refusing(undefined).get({ type: nodes, name: 'n' })))).to.equal(true)
  })
})
