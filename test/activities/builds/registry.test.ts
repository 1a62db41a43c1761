/** Which login a build pushes with: a Secret that is not the record's is named by who may write records. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Destination, destinationOf } from '../../../activities/builds/registry.ts'
import type { ClusterClient } from '../../../cluster/client.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { dataOf } from '../../../cluster/objects/secret-data.ts'
import { labels } from '../../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { builderSettings } from '../../../temporal/settings/builder.ts'
import { useStack } from '../../harness/stack.ts'

const project = 'proj-00000001'
const repository = 'registry.example.test/own'
const login = '{"auths":{"registry.example.test":{"auth":"bG9naW4="}}}'
const config = { type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' }

/** What labels the Secret has; whether the service may push with it, and whether the platform may. */
const rows: [string, Record<string, string>, { service: boolean; platform: boolean }][] = [
  ['none at all', {}, { service: false, platform: false }],
  ['its project', { [labels.project]: project }, { service: true, platform: false }],
  ['another project', { [labels.project]: 'proj-99999999' }, { service: false, platform: false }],
  ['what svc made', { [labels.managedBy]: 'svc', [labels.project]: project }, { service: false, platform: false }],
  ['a setting of the platform', { [labels.purpose]: 'platform-setting' }, { service: false, platform: true }],
]

describe('the login that a build pushes with', function () {
  this.timeout(60_000)
  let client: ClusterClient
  const secrets: string[] = []

  before(async () => {
    ;({ client } = await useStack())
  })
  after(async () => {
    await client.delete(config)
    for (const name of secrets) await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name })
  })

  async function secretWith(own: Record<string, string>, texts: Record<string, string>): Promise<{ name: string }> {
    const name = `push-${randomBytes(4).toString('hex')}`
    secrets.push(name)
    const metadata = { name, namespace: systemNamespace, labels: own }
    await client.create(coreTypes.secret, { apiVersion: 'v1', kind: 'Secret', metadata, data: dataOf(texts) })
    return { name }
  }
  const places = {
    service: (credentialRef: { name: string }) => ask({ project, registry: { repository, credentialRef } }),
    platform: async (credentialRef: { name: string }) => {
      await client.delete(config)
      await client.create<KubeObject & { spec: object }>(resourceTypes.platformConfig, {
        apiVersion,
        kind: resourceTypes.platformConfig.kind,
        metadata: { name: 'platform', namespace: systemNamespace },
        spec: { registry: { repository, credentialRef } },
      })
      return ask({ project })
    },
  }
  const ask = (spec: Parameters<typeof destinationOf>[1]): Promise<Destination | string> =>
    destinationOf({ client, builder: builderSettings({}) }, spec)

  for (const [what, own, may] of rows) {
    for (const place of ['service', 'platform'] as const) {
      it(`${may[place] ? 'is' : 'is not'} the one that the ${place} names, labelled for ${what}`, async () => {
        const ref = await secretWith(own, { '.dockerconfigjson': login })
        const found = await places[place](ref)
        if (may[place]) expect(found).to.deep.equal({ repository, login })
        else expect(found).to.be.a('string').that.includes(`Secret ${ref.name} with the key .dockerconfigjson, is not`)
      })
    }
  }

  it('is not there where the Secret has no such key, or is gone', async () => {
    const other = await secretWith({ [labels.project]: project }, { password: 'x' })
    expect(await places.service(other)).to.be.a('string')
    const setting = await secretWith({ [labels.purpose]: 'platform-setting' }, { apiToken: 'x' })
    expect(await places.platform(setting)).to.equal(
      `the login of the registry, Secret ${setting.name} with the key .dockerconfigjson, is not there or lacks the label svc.dev/purpose=platform-setting`,
    )
    expect(await places.platform({ name: 'nobody-made-it' })).to.be.a('string')
  })
})
