/** The log of a build whose pod is gone: what an earlier pass kept of it stays. */
import { expect } from 'chai'
import { keepBuildLog } from '../../../activities/builds/keep-log.ts'
import { viewOf } from '../../../kinds/apps/view.ts'
import { appendAttemptLog } from '../../../records/store/attempt-history.ts'
import { silentLog } from '../../../cluster/objects/log.ts'
import type { App } from '../../../kinds/apps/kind.ts'
import { type Build, buildSpec } from '../../../kinds/builds/kind.ts'
import { apiVersion, systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { readAttemptLog } from '../../../records/deployments/read-attempt-log.ts'
import { createProject, type TestRecords, useRecords } from '../../harness/records.ts'
import { createGitApp } from '../../workflows/build-world.ts'

describe('the log of a build whose pod is gone', () => {
  const line = '2026-01-01T00:00:00Z fetched'
  let records: TestRecords
  let app: App

  before(async function () {
    this.timeout(60_000)
    records = await useRecords()
    app = await createGitApp(records, await createProject(records))
  })

  const needs = () => ({ client: records.client, log: silentLog, now: () => new Date() })
  function buildOf(attempt: string, name = attempt): Build {
    const { project } = app.spec
    const spec = { app: app.metadata.name, project, environment: 'production', attempt, repository: 'acme/web' }
    return {
      apiVersion,
      kind: resourceTypes.build.kind,
      metadata: { name, namespace: systemNamespace },
      spec: buildSpec.parse(spec),
    }
  }
  const keep = (build: Build) => keepBuildLog(needs(), app, build, undefined, (text) => text)
  const keptOf = async (attempt: string) => (await readAttemptLog(records.client, attempt))?.build

  it('stays as it was kept by a worker that died before it had written the end of the build', async () => {
    const attempt = `${app.metadata.name}-aaaaa`
    const log = { clone: [line], build: [line, line] }
    await appendAttemptLog(needs(), viewOf(app), attempt, [], { build: { build: attempt, log } })
    await keep(buildOf(attempt))
    expect(await keptOf(attempt)).to.deep.equal({ build: attempt, log })
  })

  it('says that it is lost where nothing of that build was kept, whatever was of another one', async () => {
    const attempt = `${app.metadata.name}-bbbbb`
    await appendAttemptLog(needs(), viewOf(app), attempt, [], { build: { build: attempt, log: { build: [line] } } })
    await keep(buildOf(attempt, `${attempt}-retry`))
    const { build, log = {} } = (await keptOf(attempt)) ?? {}
    expect(build).to.equal(`${attempt}-retry`)
    for (const lines of [log.clone, log.build]) expect(lines?.join()).to.match(/^\S+ what was written here is lost: /)
  })
})
