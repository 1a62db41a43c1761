/** Which build a service was deployed with last. */
import { expect } from 'chai'
import { lastBuild, refreshLastBuild } from '../../activities/context/last-build.ts'
import { type Build, buildSpec } from '../../kinds/builds/kind.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createProject, type TestRecords, useRecords } from '../harness/records.ts'
import { createGitApp } from '../workflows/build-world.ts'

describe('the last build of a service', () => {
  let records: TestRecords

  before(async function () {
    this.timeout(60_000)
    records = await useRecords()
  })

  const build = (app: string, project: string, attempt: string): Promise<Build> =>
    records.builds.create({
      apiVersion,
      kind: resourceTypes.build.kind,
      metadata: { name: attempt, namespace: systemNamespace },
      spec: buildSpec.parse({ app, project, environment: 'production', attempt, repository: 'https://git.test/a.git' }),
    })

  it('is that of its attempt, also where a later name is of the same second, and the newest without one', async () => {
    const project = await createProject(records)
    const git = await createGitApp(records, project)
    const { name } = git.metadata
    const [own, later] = [`${name}-aaaaa`, `${name}-zzzzz`]
    const title = { operation: 'deploy', actor: 'ann', requestId: 'r', title: 'Deploy', at: '2026-01-01T00:00:00Z' }
    const attemptedWith = (record: string) => ({
      ...git,
      metadata: { ...git.metadata, annotations: { [annotations.attempt]: JSON.stringify({ record, ...title }) } },
    })
    await build(name, project.metadata.name, own)
    await build(name, project.metadata.name, later)
    await refreshLastBuild(records, attemptedWith(own))
    await records.builds.readLive(later)
    expect(lastBuild(records, attemptedWith(own))?.metadata.name).to.equal(own)
    expect(lastBuild(records, attemptedWith(`${name}-bbbbb`))?.metadata.name, 'of a rollback').to.equal(later)
  })
})
