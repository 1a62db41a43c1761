/** Names of databases over HTTP: one for each thing of an environment, and those of the cluster's shared servers. */
import { expect } from 'chai'
import { openDataWorld } from './data-world.ts'
import { useDatabases } from './databases-world.ts'

describe('Databases', () => {
  const { world, place, refusalOf } = useDatabases()

  it('POST /databases without a project makes the shared server of the cluster, one for each engine', async () => {
    const made = await world.ask('POST', '/databases', { engine: 'mysql', name: 'our-mysql', region: 'eu' })
    expect(made.body).to.deep.equal({ ok: true, name: 'shared-mysql', kind: 'databases' })
    const { body } = await world.ask('GET', '/databases/shared-mysql')
    expect(body.resource).to.include({ displayName: 'our-mysql', project: '', environment: '', state: 'draft' })
    expect(body.spec.serverRegion).to.equal('eu')
    expect(await refusalOf({ engine: 'mysql' })).to.equal('the cluster has a shared mysql server already: shared-mysql')
    expect(await refusalOf({ engine: 'redis' })).to.equal('the shared server of the cluster must be postgres or mysql')
    expect(await refusalOf({ placement: 'External' })).to.equal('the shared server of the cluster cannot be external')
    expect(await refusalOf({ ...place(), name: 'shared-postgres' })).to.equal(
      'the name shared-postgres is already used',
    )
    expect((await world.ask('POST', '/databases', {})).body.name).to.equal('shared-postgres')
  })

  it('one name stands for one thing of an environment', async () => {
    await world.create('/apps', { name: 'one-thing', image: 'nginx:1' })
    const sentence = 'the name one-thing is already used'
    expect(await refusalOf({ ...place(), name: 'one-thing' })).to.equal(sentence)
    await world.create('/databases', { name: 'other-thing' })
    for (const path of ['/apps', '/databases', '/object-stores'])
      expect((await world.ask('POST', path, { ...place(), name: 'other-thing' })).body.error, path).to.equal(
        'the name other-thing is already used',
      )
    await world.ask('POST', `/projects/${world.project}/environments`, { environment: 'elsewhere' })
    expect(
      await refusalOf({ ...place(), environment: 'elsewhere', name: 'one-thing' }),
      'another environment',
    ).to.equal(undefined)
    expect(await refusalOf({ ...place(), environment: 'elsewhere', name: 'other-thing' }), 'the same kind').to.equal(
      'the name other-thing is already used',
    )
  })

  it('two processes that give one name to two kinds of things at once end with one of them at most', async function () {
    this.timeout(60_000)
    const second = await openDataWorld()
    const others = [
      ['/object-stores', 'objectStore'],
      ['/apps', 'app'],
      ['/object-stores', 'objectStore'],
      ['/apps', 'app'],
    ] as const
    try {
      for (const [round, [path, type]] of others.entries()) {
        const name = `at-once-${round}`
        const answers = await Promise.all([
          world.ask('POST', '/databases', { ...place(), name }),
          second.ask('POST', path, { ...place(), name }),
        ])
        const made = answers.filter(({ status }) => status === 200).length
        // A service whose creation was undone still exists, marked deleted, until a worker removes its finalizer.
        const records = await Promise.all([world.record('database', name), world.record(type, name)])
        const there = records.filter(
          (each) => each !== undefined && each.metadata.deletionTimestamp === undefined,
        ).length
        expect([made <= 1, there], answers.map(({ text }) => text).join(' ')).to.deep.equal([true, made])
      }
    } finally {
      await second.api.stop()
    }
  })
})
