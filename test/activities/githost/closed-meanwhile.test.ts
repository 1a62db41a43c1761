/** A pass over the environment of a pull request, while the project is changed by a person. */
import { expect } from 'chai'
import type { ActivityNeeds } from '../../../activities/context/needs.ts'
import { passPullRequest } from '../../../activities/githost/pull-request.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../../cluster/objects/resource-type.ts'
import { dataOf } from '../../../cluster/objects/secret-data.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { gitHostKeys, settingSecrets } from '../../../kinds/platform/settings.ts'
import { withArchived } from '../../../kinds/projects/archived.ts'
import type { Project } from '../../../kinds/projects/kind.ts'
import { pullRequestKey } from '../../../kinds/projects/pull-requests.ts'
import { closePullRequest } from '../../../records/projects/pull-request-environments.ts'
import { savePullRequests } from '../../../records/projects/pull-requests.ts'
import { behindStore, createProject, type TestRecords, useRecords } from '../../harness/records.ts'
import { withoutWorker } from '../../harness/worker.ts'

const commit = '7'.repeat(40)
const secret = { type: coreTypes.secret, namespace: systemNamespace, name: settingSecrets.githost }

describe('a pass over the environment of a pull request', () => {
  let records: TestRecords
  let project: Project

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
    const app: KubeObject & { data: Record<string, string> } = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secret.name, namespace: systemNamespace },
      data: dataOf(Object.fromEntries(Object.values(gitHostKeys).map((key) => [key, 'x']))),
    }
    await records.client.create(coreTypes.secret, app)
  })
  after(async () => {
    await records.client.delete(secret)
  })

  const ref = () => ({ project: project.metadata.name, repository: 'acme/shop', number: 7 })
  const environments = async () => (await records.projects.readLive(project.metadata.name))?.spec.environments
  const made = async (spec: Partial<Project['spec']>): Promise<void> => {
    project = await createProject(records, {
      gitHosts: [{ environment: 'production', installation: 71 }],
      pullRequestEnvironments: { enabled: true, baseEnvironment: 'production', maxOpen: 5 },
      ...spec,
    })
  }
  const empty = (type: ResourceType) => behindStore(records.client, type, [], { environment: () => [] })
  /** `meanwhile` happens while the git host is asked. */
  const pass = (meanwhile: () => Promise<unknown>) => {
    const needs = {
      ...records,
      apps: empty(resourceTypes.app),
      databases: empty(resourceTypes.database),
      logicalDatabases: empty(resourceTypes.logicalDatabase),
      objectStores: empty(resourceTypes.objectStore),
      pullRequestIdleMs: 1e9,
      placement: { autoHosts: {} },
      gitHost: { web: 'https://github.com' },
      pullRequests: {
        read: async () => {
          await meanwhile()
          return { isOpen: true, commit, isFork: false }
        },
        writeComment: async () => undefined,
      },
    } as unknown as ActivityNeeds // what a pass without a service needs
    return passPullRequest(needs)({ name: pullRequestKey(ref()) })
  }
  const closed = async (): Promise<void> => {
    await closePullRequest(records, ref())
    // As the workflow of the project does once nothing of it is left.
    await records.projects.edit(project.metadata.name, (current) => withArchived(current, []))
  }
  const open = {
    repository: 'acme/shop',
    number: 7,
    environment: 'pr-7',
    base: 'production',
    commit,
    activeAt: new Date().toISOString(),
  }

  it('does not make one again that was closed by hand meanwhile', async () => {
    await made({ environments: ['production', 'pr-7'], pullRequests: [open] })
    const { outcome } = await pass(closed)
    expect(await environments()).to.deep.equal(['production'])
    expect(outcome, 'looked at again').to.equal('waiting')
    expect((await pass(async () => undefined)).outcome).to.equal('done')
    expect(await environments()).to.deep.equal(['production'])
  })

  it('goes on with one that is open', async () => {
    await made({ environments: ['production', 'pr-7'], pullRequests: [open] })
    expect((await pass(async () => undefined)).outcome).to.equal('done')
    expect(await environments()).to.deep.equal(['production', 'pr-7'])
  })

  it('makes none where that was turned off meanwhile', async () => {
    const { environment: _, base: _base, activeAt: _at, ...former } = open
    await made({ environments: ['production'], pullRequests: [{ ...former, commit: '6'.repeat(40) }] })
    const { outcome } = await pass(() => savePullRequests(records, project.metadata.name, { enabled: false }))
    expect([await environments(), outcome]).to.deep.equal([['production'], 'waiting'])
  })
})
