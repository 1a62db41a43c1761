/**
 * Writes of a Secret and a record, cut between any two of them: the next try and the resync's sweeps each clean up what
 * was left.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createConnection, type NewConnection } from '../../records/cloud-connections/create-connection.ts'
import { sweepKeys } from '../../records/cloud-connections/sweep-keys.ts'
import { deleteSharedVariable, saveSharedVariable } from '../../records/projects/shared-variables.ts'
import { sweepSharedValues } from '../../records/projects/sweep-shared-values.ts'
import { createProject, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'
import { dyingAt, plain, points, secretOf, storesOf } from './dying.ts'

describe('an api that dies between a Secret and its record', () => {
  let client: ClusterClient
  let records: TestRecords

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
    ;({ client } = records)
  })

  const later = () => Date.now() + 60_000
  /** No worker runs that would remove the finalizer. */
  async function forget({ metadata: { name, uid = '' } }: Project): Promise<void> {
    await records.projects.edit(name, (current) => ({ ...current, metadata: { ...current.metadata, finalizers: [] } }))
    await records.projects.remove(name, uid)
  }

  describe('connecting a cloud account', () => {
    let project: Project
    before(async () => {
      project = await createProject(records)
    })
    after(() => forget(project))

    const wantedOf = (more: Partial<NewConnection> = {}): NewConnection => ({
      name: `cloud-${randomBytes(4).toString('hex')}`,
      provider: 'AWS',
      project: project.metadata.name,
      region: '',
      organization: '',
      keys: { accessKeyId: 'id', secretAccessKey: 'key' },
      ...more,
    })
    const there = async (name: string) => {
      const record = await client.get<CloudConnection>({
        type: resourceTypes.cloudConnection,
        namespace: systemNamespace,
        name,
      })
      const secret = await secretOf(client, `${name}-credentials`)
      return [record?.spec.project, plain(secret?.data?.['secretAccessKey'])]
    }

    for (const point of points) {
      const at = `${point.when} write ${point.write}`
      it(`${at}: the next try makes it`, async () => {
        const wanted = wantedOf()
        await dyingAt(client, point, (mortal) => createConnection(storesOf(mortal), wanted))
        await createConnection(storesOf(client), wanted)
        expect(await there(wanted.name)).to.deep.equal([project.metadata.name, 'key'])
      })

      it(`${at}: the sweep leaves keys only where there is a connection`, async () => {
        const wanted = wantedOf()
        await dyingAt(client, point, (mortal) => createConnection(storesOf(mortal), wanted))
        // A Secret written a moment ago may still be in use, so the sweep leaves it.
        const before = await there(wanted.name)
        await sweepKeys(client, Date.now() - 60_000)
        expect(await there(wanted.name)).to.deep.equal(before)
        await sweepKeys(client, later())
        const made = point.write === 2 && point.when === 'after'
        expect(await there(wanted.name)).to.deep.equal(made ? [project.metadata.name, 'key'] : [undefined, ''])
      })
    }

    it('keys that do not say when they were written count from when they were made', async () => {
      const name = `${wantedOf().name}-credentials`
      const metadata = { name, namespace: systemNamespace, labels: { [labels.purpose]: secretPurposes.cloudKeys } }
      await client.create(coreTypes.secret, { apiVersion: 'v1', kind: 'Secret', metadata })
      await sweepKeys(client, Date.now() - 60_000)
      expect(await secretOf(client, name)).not.to.equal(undefined)
      await sweepKeys(client, later())
      expect(await secretOf(client, name)).to.equal(undefined)
    })

    it('a refused one leaves no keys, also when the project goes meanwhile', async () => {
      const wanted = wantedOf({ project: 'proj-00000000' })
      const refusal = await createConnection(storesOf(client), wanted).catch((error: unknown) => String(error))
      expect([refusal, await there(wanted.name)]).to.deep.equal(['Problem: project not found', [undefined, '']])
      const going = await createProject(records)
      const late = wantedOf({ project: going.metadata.name })
      const create: ClusterClient['create'] = async (type, object, options) => {
        const made = await client.create(type, object, options)
        if (type.kind === 'SvcCloudConnection')
          await records.projects.remove(going.metadata.name, going.metadata.uid ?? '')
        return made
      }
      const answer = await createConnection(storesOf({ ...client, create }), late).catch((error: unknown) =>
        String(error),
      )
      expect([answer, await there(late.name)]).to.deep.equal(['Problem: the project is being deleted', [undefined, '']])
      await forget(going)
    })

    it('other keys under the same name never reach the connection of another request', async () => {
      const wanted = wantedOf()
      const others = [1, 2, 3, 4, 5].map((index) => ({
        ...wanted,
        keys: { accessKeyId: 'id', secretAccessKey: `key-${index}` },
      }))
      const answers = await Promise.all(
        others.map((other) =>
          createConnection(storesOf(client), other).then(
            () => other.keys.secretAccessKey,
            (error: Error) => error.message,
          ),
        ),
      )
      const winners = answers.filter((answer) => answer.startsWith('key-'))
      expect(winners, answers.join('; ')).to.have.length(1)
      expect(await there(wanted.name)).to.deep.equal([project.metadata.name, winners[0]])
      const again = await createConnection(storesOf(client), wanted).catch((error: Error) => error.message)
      expect(again).to.equal(`the name ${wanted.name} is already used`)
    })

    it('keys that were left half a minute ago give way to others', async () => {
      const wanted = wantedOf()
      await dyingAt(client, { when: 'after', write: 1 }, (mortal) => createConnection(storesOf(mortal), wanted))
      const other = { ...wanted, keys: { accessKeyId: 'id', secretAccessKey: 'other' } }
      const soon = await createConnection(storesOf(client), other).catch((error: Error) => error.message)
      expect(soon).to.equal(`the name ${wanted.name} is being used by another request; try again in a moment`)
      await createConnection({ ...storesOf(client), now: () => new Date(later()) }, other)
      expect(await there(wanted.name)).to.deep.equal([project.metadata.name, 'other'])
    })
  })

  describe('saving a shared secret variable', () => {
    let project: Project
    beforeEach(async () => {
      project = await createProject(records)
    })
    afterEach(() => forget(project))

    const variable = { name: 'KEY', environment: 'production' }
    const save = (own: ClusterClient, value: string, secret: boolean) =>
      saveSharedVariable(storesOf(own), project.metadata.name, { ...variable, value, secret })
    const remove = (own: ClusterClient) => deleteSharedVariable(storesOf(own), project.metadata.name, variable)
    /** The record's entry for the variable, and every value that is stored. */
    async function readBack(): Promise<[object[], Record<string, string>]> {
      const spec = (await records.projects.readLive(project.metadata.name))?.spec
      const data = (await secretOf(client, `${project.metadata.name}-shared`))?.data ?? {}
      return [
        spec?.sharedVariables ?? [],
        Object.fromEntries(Object.entries(data).map(([key, value]) => [key, plain(value)])),
      ]
    }
    const entry = () => ({ ...variable, secretRef: { name: `${project.metadata.name}-shared`, key: 'production.KEY' } })
    const sweep = (before: number) => sweepSharedValues(records, before)

    for (const point of [...points, { when: 'before', write: 3 } as const]) {
      it(`${point.when} write ${point.write}: the next try saves it, and the sweep leaves no value without a reference`, async () => {
        await dyingAt(client, point, (mortal) => save(mortal, 'first', true))
        const [kept] = await readBack()
        await sweep(Date.now() - 60_000)
        await sweep(later())
        expect(Object.keys((await readBack())[1])).to.deep.equal(kept.length === 0 ? [] : ['production.KEY'])
        await save(client, 'second', true)
        expect(await readBack()).to.deep.equal([[entry()], { 'production.KEY': 'second' }])
      })
    }

    for (const [what, change] of [
      ['turning it plain', (own: ClusterClient) => save(own, 'open', false)],
      ['deleting it', remove],
    ] as const) {
      it(`after the record of ${what}: the sweep takes the value away`, async () => {
        await save(client, 'hidden', true)
        await dyingAt(client, { when: 'after', write: 1 }, change)
        expect((await readBack())[1]).to.deep.equal({ 'production.KEY': 'hidden' })
        await sweep(Date.now() - 60_000)
        expect((await readBack())[1]).to.deep.equal({ 'production.KEY': 'hidden' })
        await sweep(later())
        expect((await readBack())[1]).to.deep.equal({})
      })
    }

    it('saving and deleting it at once: a variable that is there has its value', async () => {
      for (let round = 0; round < 10; round += 1) {
        await save(client, 'before', true)
        await Promise.all([save(client, 'after', true), remove(client)])
        const [variables, values] = await readBack()
        if (variables.length > 0) expect(values).to.deep.equal({ 'production.KEY': 'after' })
      }
    })
  })
})
