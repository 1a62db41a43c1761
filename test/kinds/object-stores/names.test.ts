/** The names of the object server and of a store's login, as a table. */
import { expect } from 'chai'
import {
  accessKeyOf,
  bucketPrefix,
  policyNameOf,
  rootSecretName,
  rootUser,
  serverEndpoint,
  userSecretName,
} from '../../../kinds/object-stores/names.ts'

describe('What the object server and its buckets are called', () => {
  for (const [name, accessKey] of [
    ['calm-otter', 'calm-otter'],
    ['abc', 'abc'],
    ['ab', 'ab_'],
    ['a', 'a__'],
  ] as const) {
    it(`the store ${name} has the access key ${accessKey}`, () => {
      expect(accessKeyOf(name)).to.equal(accessKey)
    })
  }

  it('the address is that of the Service, in its namespace, on port 9000', () => {
    expect(serverEndpoint).to.equal('http://svc-minio.svc-system.svc:9000')
  })

  it('no store can be called like the root user or share a policy with the server', () => {
    expect(rootUser).to.match(/_/) // record names have no underscore
    expect(policyNameOf('readonly')).to.equal('svc-readonly')
  })

  it('its Secrets and the beginning of its buckets are named after it', () => {
    expect([rootSecretName('object-server'), userSecretName('calm-otter')]).to.deep.equal([
      'object-server-root',
      'calm-otter-minio-user',
    ])
    expect(bucketPrefix({ project: 'proj-00000001', environment: 'production' })).to.equal('proj-00000001.production.')
  })
})
