/** Who makes the record of a build: of two processes one does, and the other goes by it. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ClusterClient } from '../../../cluster/client.ts'
import { type App, appSpec } from '../../../kinds/apps/kind.ts'
import type { Attempt } from '../../../kinds/apps/deploy/attempt.ts'
import type { Build } from '../../../kinds/builds/kind.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { cancelBuild } from '../../../records/builds/cancel-build.ts'
import { makeBuild, newBuild } from '../../../records/builds/make-build.ts'
import { behindStore, useRecords } from '../../harness/records.ts'
import { withoutWorker } from '../../harness/worker.ts'
import { dyingAt } from '../dying.ts'

describe('the record of a build', () => {
  let client: ClusterClient
  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    ;({ client } = await useRecords())
  })

  /** The store of a process that has seen nothing yet. */
  const fresh = (own = client) => behindStore<Build>(own, resourceTypes.build)
  const wanted = (): Build => {
    const record = `web-${randomBytes(4).toString('hex')}`
    const spec = appSpec.parse({
      ...{ project: 'proj-00000001', environment: 'production' },
      source: { git: { repository: 'acme/web', branch: 'main' } },
    })
    const metadata = { name: 'web', namespace: systemNamespace, uid: 'u1' }
    const app: App = { apiVersion: 'svc.svc.dev/v1alpha1', kind: 'SvcApp', metadata, spec, status: {} }
    const at = '2026-01-01T00:00:00Z'
    const attempt: Attempt = { record, operation: 'build', actor: 'ann', requestId: 'r', title: 't', at }
    return newBuild(app, spec, attempt)
  }
  const cancelled = async ({ metadata }: Build) => (await fresh().readLive(metadata.name))?.spec.cancelled

  it('is made of what the attempt deploys', () => {
    const { metadata, spec } = wanted()
    expect(spec).to.include({ app: 'web', attempt: metadata.name, branch: 'main', fresh: true, trigger: 'manual' })
  })

  it('that was cancelled before it was made stays so when the worker makes it', async () => {
    const build = wanted()
    await cancelBuild(fresh(), build.metadata.name, build)
    expect((await makeBuild(fresh(), build)).spec.cancelled).to.equal(true)
  })

  it('that a worker makes at the moment of the cancellation is cancelled', async () => {
    const build = wanted()
    const create: ClusterClient['create'] = async (type, object, options) => {
      await makeBuild(fresh(), build)
      return client.create(type, object, options)
    }
    await cancelBuild(fresh({ ...client, create }), build.metadata.name, build)
    expect(await cancelled(build)).to.equal(true)
  })

  for (const when of ['before', 'after'] as const)
    it(`is cancelled by the next try of a process that dies ${when} its write`, async () => {
      const build = wanted()
      await dyingAt(client, { when, write: 1 }, (own) => cancelBuild(fresh(own), build.metadata.name, build))
      expect(await cancelled(build)).to.equal(when === 'after' ? true : undefined)
      await cancelBuild(fresh(), build.metadata.name, build)
      expect(await cancelled(build)).to.equal(true)
    })
})
