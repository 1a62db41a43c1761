/** Which installation of the git host a project names is no matter of those who may write records alone. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Project, ProjectSpec } from '../../kinds/projects/kind.ts'
import { createProject, type TestRecords, useRecords } from '../harness/records.ts'
import { asWriter, writerDoes } from '../rules/secret-world.ts'
import { useRecordWriter } from './record-writer.ts'

type Links = NonNullable<ProjectSpec['gitHosts']>

const refused = 'an installation of the git host is connected by an admin of svc'

describe('the installations of the git host that a project names', function () {
  this.timeout(120_000)
  const { world, refusalOf, untilRefused } = useRecordWriter()
  let records: TestRecords
  let name = ''

  before(async () => {
    records = await useRecords()
    name = (await createProject(records)).metadata.name
    await untilRefused(refused, () => write([link('production', 70)]))
  })
  beforeEach(async () => {
    const gitHosts = [link('production', 71)]
    name = (await createProject(records, { environments: ['production', 'staging'], gitHosts })).metadata.name
  })

  const link = (environment: string, installation: number): Links[number] => ({ environment, installation })
  const ref = () => ({ type: resourceTypes.project, namespace: systemNamespace, name })
  const write = (gitHosts: Links | null): Promise<string> => {
    const patch = JSON.stringify({ spec: { gitHosts } })
    return asWriter('patch', 'svcproject', name, '-n', systemNamespace, '--type=merge', '-p', patch)
  }
  const links = async () => (await records.client.get<Project>(ref()))?.spec.gitHosts

  it('are none that who may write records alone comes up with', async () => {
    expect(await refusalOf(write([link('production', 72)]))).to.include(refused)
    expect(await refusalOf(write([link('production', 71), link('staging', 72)]))).to.include(refused)
    const made = { apiVersion, kind: resourceTypes.project.kind, metadata: { name: 'proj-0000cafe' } }
    const spec = { displayName: 'theirs', environments: ['production'], gitHosts: [link('production', 71)] }
    const metadata = { ...made.metadata, namespace: systemNamespace }
    expect(await refusalOf(writerDoes(world.folder, 'apply', [{ ...made, metadata, spec }]))).to.include(refused)
    expect(await links()).to.deep.equal([link('production', 71)])
  })

  it('are theirs to take away, and to use for another environment of the project', async () => {
    await write([link('production', 71), link('staging', 71)])
    await write([link('staging', 71)])
    await asWriter('patch', 'svcproject', name, '-n', systemNamespace, '--type=merge', '-p', '{"spec":{"region":"eu"}}')
    expect(await links()).to.deep.equal([link('staging', 71)])
    await write(null)
    expect(await links()).to.equal(undefined)
  })

  it('are written by the api, and by administrators', async () => {
    const patch = (client: ClusterClient, installation: number) =>
      client.patch<Project>(ref(), { spec: { gitHosts: [link('production', installation)] } })
    expect((await patch(world.api, 72)).spec.gitHosts).to.deep.equal([link('production', 72)])
    expect((await patch(records.client, 73)).spec.gitHosts).to.deep.equal([link('production', 73)])
  })
})
