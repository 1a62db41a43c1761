/** The names of a remote store at AWS and its permissions there, as tables. */
import { expect } from 'chai'
import { endpointOf, ownerOfTags, ownerTags, regionOfStore, userNameOf } from '../../../kinds/object-stores/remote.ts'
import { awsPolicy } from '../../../kinds/object-stores/bucket-policy.ts'

describe('A remote store', () => {
  it('takes its own region, the one of its connection, the one of the Secret, or us-east-1', () => {
    const rows: [string | undefined, string, string | undefined, string][] = [
      ['eu-west-1', 'eu-west-2', 'eu-west-3', 'eu-west-1'],
      [undefined, 'eu-west-2', 'eu-west-3', 'eu-west-2'],
      ['', '', 'eu-west-3', 'eu-west-3'],
      [undefined, '', '', 'us-east-1'],
      [undefined, '', undefined, 'us-east-1'],
    ]
    for (const [store, connection, secret, region] of rows)
      expect(regionOfStore(store, connection, secret)).to.equal(region)
  })

  it('has a user svc-<name> of at most 64 characters that no other store has', () => {
    expect(userNameOf('calm-otter')).to.equal('svc-calm-otter')
    expect(userNameOf('calm/otter bucket')).to.equal('svc-calm-otter-bucket')
    expect(userNameOf('a'.repeat(60))).to.equal(`svc-${'a'.repeat(60)}`)
    const long = ['x', 'y'].map((end) => userNameOf(`${'a'.repeat(62)}${end}`))
    for (const name of long) expect(name).to.match(/^svc-a{51}-[0-9a-f]{8}$/)
    expect(new Set(long).size).to.equal(2)
  })

  it('answers at the address of its region', () => {
    expect(endpointOf('eu-west-1')).to.equal('https://s3.eu-west-1.amazonaws.com')
    expect(endpointOf('cn-north-1')).to.equal('https://s3.cn-north-1.amazonaws.com.cn')
  })

  it('may list, read, write, delete and upload in parts, in its buckets only', () => {
    const { Statement } = JSON.parse(awsPolicy(['one', 'two'], 'eu-west-1')) as {
      Statement: { Action: string[]; Resource: string[] }[]
    } // the JSON comes from awsPolicy itself
    expect(Statement.map(({ Action }) => Action)).to.deep.equal([
      ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'],
      ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:GetObject', 's3:ListMultipartUploadParts', 's3:PutObject'],
    ])
    expect(Statement.map(({ Resource }) => Resource)).to.deep.equal([
      ['arn:aws:s3:::one', 'arn:aws:s3:::two'],
      ['arn:aws:s3:::one/*', 'arn:aws:s3:::two/*'],
    ])
    expect(awsPolicy(['one'], 'cn-north-1')).to.include('arn:aws-cn:s3:::one')
    expect(awsPolicy(['one'], 'us-gov-west-1')).to.include('arn:aws-us-gov:s3:::one')
  })

  it('is identified by the tags of what was made for it', () => {
    const metadata = { name: 'calm-otter', uid: 'uid-1' }
    expect(ownerOfTags(ownerTags({ metadata }))).to.deep.equal({ uid: 'uid-1', store: 'calm-otter' })
    expect(ownerOfTags({})).to.equal(undefined)
    expect(ownerOfTags({ 'svc.dev/owner': 'uid-1' })).to.equal(undefined)
  })
})
