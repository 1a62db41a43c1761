/** The address of the dashboard, which a browser signs in at, is no matter of those who may write records alone. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { PlatformConfig, PlatformConfigSpec } from '../../kinds/platform/kind.ts'
import { useStack } from '../harness/stack.ts'
import { asWriter, writerDoes } from '../rules/secret-world.ts'
import { useRecordWriter } from './record-writer.ts'

type Spec = { [Field in keyof PlatformConfigSpec]?: PlatformConfigSpec[Field] | null }

const refused = 'the address of the dashboard and the root domain are set by an admin of svc'
const { platformConfig: type } = resourceTypes
const name = 'platform'

describe('the address of the dashboard, as who may write records alone says it', function () {
  this.timeout(120_000)
  const { world, refusalOf, untilRefused } = useRecordWriter()

  const ours = { rootDomain: 'example.com', dashboardURL: 'https://panel.example.net' }
  const record = (spec: Spec) => ({
    apiVersion,
    kind: type.kind,
    metadata: { name, namespace: systemNamespace },
    spec,
  })
  /** Both are dry runs: nothing is written. */
  const changes = (spec: Spec) => {
    const patch = ['--type=merge', '-p', JSON.stringify({ spec })]
    return asWriter('patch', 'svcplatformconfig', name, '-n', systemNamespace, ...patch, '--dry-run=server')
  }
  const makes = (spec: Spec) => writerDoes(world.folder, 'create', [record(spec)], '--dry-run=server')

  before(() => untilRefused(refused, () => makes({ rootDomain: 'example.org' })))

  it('is none in a configuration of theirs', async () => {
    expect(await refusalOf(makes({ dashboardURL: 'https://panel.example.org' }))).to.include(refused)
    expect(await refusalOf(makes({ dashboardExposure: 'ingress' }))).to.equal('')
  })

  it('is not theirs to change, but to take away', async () => {
    const { client } = await useStack()
    await client.create(type, record(ours))
    for (const other of [{ dashboardURL: 'https://panel.example.org' }, { rootDomain: 'example.org' }])
      expect(await refusalOf(changes(other)), JSON.stringify(other)).to.include(refused)
    const theirs: Spec[] = [
      { dashboardURL: null },
      { rootDomain: null, dashboardURL: null },
      { ...ours, dashboardExposure: 'cloudflare-tunnel' },
    ]
    for (const spec of theirs) expect(await refusalOf(changes(spec)), JSON.stringify(spec)).to.equal('')
  })

  it('is changed by the api, and by administrators', async () => {
    const { client } = await useStack()
    const change = async (by: ClusterClient, rootDomain: string) =>
      (await by.patch<PlatformConfig>({ type, namespace: systemNamespace, name }, { spec: { rootDomain } })).spec
        .rootDomain
    expect(await change(world.api, 'example.org')).to.equal('example.org')
    expect(await change(client, 'example.net')).to.equal('example.net')
  })
})
