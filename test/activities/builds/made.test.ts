/** The Secret and the Job of a build: after a death before the Job was made, and of a build that is gone. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { makeJob, readCredentials, readJob, removeMade } from '../../../activities/builds/made.ts'
import type { ClusterClient } from '../../../cluster/client.ts'
import { type Build, buildSpec } from '../../../kinds/builds/kind.ts'
import { builderSettings } from '../../../temporal/settings/builder.ts'
import { eventually } from '../../cluster/eventually.ts'
import { useStack } from '../../harness/stack.ts'
import { useWorker } from '../../harness/worker.ts'

const minutes = 60_000
const builder = builderSettings({ SVC_BUILDER_IMAGE: 'svc/builder:test' })
const inputs = {
  address: 'https://git.example.test/a/b.git',
  destination: 'r.example.test/a',
  port: 8080,
  args: {},
  knownRevision: '',
}

describe('what is made for a build', function () {
  this.timeout(60_000)
  let client: ClusterClient
  const build: Build = {
    apiVersion: 'svc.svc.dev/v1alpha1',
    kind: 'SvcBuild',
    metadata: { name: `made-${randomUUID().slice(0, 8)}`, uid: randomUUID() },
    spec: buildSpec.parse({ app: 'web', project: 'proj-00000001', environment: 'production', repository: 'acme/web' }),
  }
  let live: Build | undefined = build
  const needsAt = (at: number) => ({ client, builder, now: () => new Date(at), builds: { readLive: async () => live } })
  const make = (token: string, at: number) =>
    makeJob(needsAt(at), build, { git: { token }, registry: '', secrets: {} }, inputs)
  const tokenNow = async () => (await readCredentials({ client, builder }, build)).git['token']

  before(async () => {
    ;({ client } = await useStack())
    await useWorker() // which makes the namespace of builds
  })
  after(() => eventually('it is removed', () => removeMade({ client, builder }, build), 20_000))

  it('has a valid token, though an earlier worker died before it used the one that it made', async () => {
    const dying: ClusterClient = {
      ...client,
      create: async (type, body) => {
        if (type.kind === 'Job') throw new Error('the worker died')
        return await client.create(type, body)
      },
    }
    const now = Date.now()
    const died = makeJob(
      { ...needsAt(now), client: dying },
      build,
      { git: { token: 'first' }, registry: '', secrets: {} },
      inputs,
    )
    expect(await died.catch((error: Error) => error.message)).to.equal('the worker died')
    expect(await tokenNow()).to.equal('first')
    const again = makeJob(
      { ...needsAt(now), client: dying },
      build,
      { git: { token: 'soon' }, registry: '', secrets: {} },
      inputs,
    )
    await again.catch(() => undefined)
    expect(await tokenNow(), 'still good').to.equal('first')
    expect(await make('second', now + 20 * minutes)).to.equal(true)
    expect(await tokenNow(), 'too old').to.equal('second')
    expect(await make('third', now + 40 * minutes)).to.equal(true)
    expect(await tokenNow(), 'its Job has it').to.equal('second')
  })

  it('goes where the build was removed while its worker was cut off', async () => {
    await eventually('the earlier Job is gone', () => removeMade({ client, builder }, build), 20_000)
    live = undefined
    await make('late', Date.now())
    await eventually('the Job is gone', async () => (await readJob({ client, builder }, build)) === undefined)
    expect(await tokenNow()).to.equal(undefined)
  })
})
