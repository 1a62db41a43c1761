/** Writes of a Secret and a record, cut between any two of them: the next try and the resync's sweeps each settle what was left. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/object.ts'
import { coreTypes } from '../../cluster/resource-type.ts'
import { systemNamespace } from '../../kinds/group.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/resource-types.ts'
import { ResourceCache } from '../../cluster/cache.ts'
import { silentLog } from '../../cluster/log.ts'
import { createConnection, type NewConnection } from '../../records/cloud-connections/create-connection.ts'
import { sweepKeys } from '../../records/cloud-connections/sweep-keys.ts'
import { deleteSharedVariable, saveSharedVariable } from '../../records/projects/shared-variables.ts'
import { sweepSharedValues } from '../../records/projects/sweep-shared-values.ts'
import { recordStore } from '../../records/record-store.ts'
import { saveRegistry } from '../../records/settings/registry.ts'
import { clearSetting, followSettings } from '../../records/settings/save-setting.ts'
import { createProject, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'
import { mortalClient } from '../kill/mortal-client.ts'

interface Point {
  when: 'before' | 'after'
  write: number
}

const points: readonly Point[] = [1, 2].flatMap((write) => [
  { when: 'before', write },
  { when: 'after', write },
])

describe('an api that dies between a Secret and its record', () => {
  let client: ClusterClient
  let records: TestRecords

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
    ;({ client } = records)
  })
  after(() => clearAll())

  /** Runs as a process that ends at this write: nothing it does afterwards reaches the cluster. */
  async function dyingAt(point: Point, run: (client: ClusterClient) => Promise<unknown>): Promise<void> {
    let dead = false
    const life = <R>(write: () => Promise<R>): Promise<R> => (dead ? Promise.reject(new Error('dead')) : write())
    const last: ClusterClient = {
      ...client,
      create: (type, object, options) => life(() => client.create(type, object, options)),
      replace: (type, object, options) => life(() => client.replace(type, object, options)),
      patch: (ref, patch, options) => life(() => client.patch(ref, patch, options)),
      delete: (ref, options) => life(() => client.delete(ref, options)),
    }
    const mortal = mortalClient(last, () => {
      dead = true
      throw new Error('died')
    })
    mortal.arm({ ...point, about: '' })
    await run(mortal.client).catch(() => undefined)
    expect(dead, 'it died').to.equal(true)
  }

  /** A replica's own stores: what one process remembers is lost with it. */
  const storesOf = (own: ClusterClient) => {
    const open = <T extends KubeObject>(type: (typeof resourceTypes)[keyof typeof resourceTypes]) =>
      recordStore<T>(own, new ResourceCache<T>({ client: own, type, namespace: systemNamespace, log: silentLog }), type)
    return {
      client: own,
      now: () => new Date(),
      projects: open<Project>(resourceTypes.project),
      cloudConnections: open<CloudConnection>(resourceTypes.cloudConnection),
    }
  }
  const secretOf = (name: string) => client.get<KubeObject & { data?: Record<string, string> }>({ type: coreTypes.secret, namespace: systemNamespace, name })
  const plain = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString()
  const later = () => Date.now() + 60_000

  describe('saving the registry', () => {
    beforeEach(() => clearAll())

    const old = { repository: 'old.example.com/team', username: 'old', password: 'old-password', keepExisting: false }
    const wanted = { repository: 'new.example.com/team', username: 'new', password: 'new-password', keepExisting: false }
    const config = () => client.get<PlatformConfig>({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' })
    /** Repository, whether it names a login, and the hosts that the Secret has logins for. */
    async function told(): Promise<[string, boolean, string[]]> {
      const { repository = '', credentialRef } = (await config())?.spec.registry ?? {}
      const login = plain((await secretOf('platform-registry'))?.data?.['.dockerconfigjson'])
      return [repository, credentialRef !== undefined, login === '' ? [] : Object.keys((JSON.parse(login) as { auths: object }).auths)]
    }
    const oldState: Awaited<ReturnType<typeof told>> = ['old.example.com/team', true, ['old.example.com']]
    const newState: Awaited<ReturnType<typeof told>> = ['new.example.com/team', true, ['new.example.com']]

    for (const point of points) {
      const at = `${point.when} write ${point.write}`
      it(`${at}: the next try saves it whole`, async () => {
        await saveRegistry({ client }, old)
        await dyingAt(point, (mortal) => saveRegistry({ client: mortal }, wanted))
        await saveRegistry({ client }, wanted)
        expect(await told()).to.deep.equal(newState)
      })

      it(`${at}: the resync leaves all of the old one or all of the new one`, async () => {
        await saveRegistry({ client }, old)
        await dyingAt(point, (mortal) => saveRegistry({ client: mortal }, wanted))
        await followSettings({ client })
        expect(await told()).to.deep.equal(point.write === 1 && point.when === 'before' ? oldState : newState)
      })

      it(`${at} of a first save that keeps the login: the next one keeps it`, async () => {
        await saveRegistry({ client }, old)
        await dyingAt(point, (mortal) => saveRegistry({ client: mortal }, { ...wanted, username: '', password: '', keepExisting: true }))
        await saveRegistry({ client }, { ...wanted, username: '', password: '', keepExisting: true })
        expect(await told()).to.deep.equal(newState)
        expect(plain((await secretOf('platform-registry'))?.data?.['.dockerconfigjson'])).to.include('old-password')
      })
    }

    for (const write of [1, 2, 3]) {
      it(`after write ${write} of clearing it: the next try and the resync forget login and repository`, async () => {
        for (const settle of [() => clearSetting({ client }, 'registry'), () => followSettings({ client })]) {
          await saveRegistry({ client }, old)
          await dyingAt({ when: 'after', write }, (mortal) => clearSetting({ client: mortal }, 'registry'))
          await settle()
          expect(await told()).to.deep.equal(['', false, []])
          expect(await secretOf('platform-registry')).to.equal(undefined)
        }
      })
    }

    it('many saves at once, some of them clearing: repository and login are of one save', async () => {
      const saves = Array.from({ length: 12 }, (_, index) => async () => {
        if (index % 4 === 3) return clearSetting({ client }, 'registry')
        return saveRegistry({ client }, { repository: `r${index}.example.com/team`, username: `u${index}`, password: `p${index}`, keepExisting: false })
      })
      await Promise.all(saves.map((save) => save()))
      const [repository, hasLogin, hosts] = await told()
      expect(hosts).to.deep.equal(repository === '' ? [] : [repository.split('/')[0]])
      expect(hasLogin).to.equal(repository !== '')
    })

    it('does not take back what somebody set with kubectl since', async () => {
      await saveRegistry({ client }, old)
      const live = await config()
      if (live === undefined) throw new Error('no configuration')
      await client.replace(resourceTypes.platformConfig, { ...live, spec: { ...live.spec, registry: { repository: 'by.hand.example.com' } } })
      await followSettings({ client })
      expect((await config())?.spec.registry).to.deep.equal({ repository: 'by.hand.example.com' })
    })
  })

  describe('connecting a cloud account', () => {
    let project: Project
    before(async () => {
      project = await createProject(records)
    })
    after(() => records.projects.edit(project.metadata.name, (current) => ({ ...current, metadata: { ...current.metadata, finalizers: [] } })))

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
      const record = await client.get<CloudConnection>({ type: resourceTypes.cloudConnection, namespace: systemNamespace, name })
      const secret = await secretOf(`${name}-credentials`)
      return [record?.spec.project, plain(secret?.data?.['secretAccessKey'])]
    }

    for (const point of points) {
      const at = `${point.when} write ${point.write}`
      it(`${at}: the next try makes it`, async () => {
        const wanted = wantedOf()
        await dyingAt(point, (mortal) => createConnection(storesOf(mortal), wanted))
        await createConnection(storesOf(client), wanted)
        expect(await there(wanted.name)).to.deep.equal([project.metadata.name, 'key'])
      })

      it(`${at}: the sweep leaves keys only where there is a connection`, async () => {
        const wanted = wantedOf()
        await dyingAt(point, (mortal) => createConnection(storesOf(mortal), wanted))
        // What was written a moment ago may be wanted: it is let alone.
        const before = await there(wanted.name)
        await sweepKeys(client, Date.now() - 60_000)
        expect(await there(wanted.name)).to.deep.equal(before)
        await sweepKeys(client, later())
        const made = point.write === 2 && point.when === 'after'
        expect(await there(wanted.name)).to.deep.equal(made ? [project.metadata.name, 'key'] : [undefined, ''])
      })
    }

    it('a refused one leaves no keys, also when the project goes meanwhile', async () => {
      const wanted = wantedOf({ project: 'proj-00000000' })
      const refusal = await createConnection(storesOf(client), wanted).catch((error: unknown) => String(error))
      expect([refusal, await there(wanted.name)]).to.deep.equal(['Problem: project not found', [undefined, '']])
      const going = await createProject(records)
      const late = wantedOf({ project: going.metadata.name })
      const create: ClusterClient['create'] = async (type, object, options) => {
        const made = await client.create(type, object, options)
        if (type.kind === 'SvcCloudConnection') await records.projects.remove(going.metadata.name, going.metadata.uid ?? '')
        return made
      }
      const answer = await createConnection(storesOf({ ...client, create }), late).catch((error: unknown) => String(error))
      expect([answer, await there(late.name)]).to.deep.equal(['Problem: the project is being deleted', [undefined, '']])
      await records.projects.edit(going.metadata.name, (current) => ({ ...current, metadata: { ...current.metadata, finalizers: [] } }))
    })

    it('other keys under the same name never meet the connection of somebody else', async () => {
      const wanted = wantedOf()
      const others = [1, 2, 3, 4, 5].map((index) => ({ ...wanted, keys: { accessKeyId: 'id', secretAccessKey: `key-${index}` } }))
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
      await dyingAt({ when: 'after', write: 1 }, (mortal) => createConnection(storesOf(mortal), wanted))
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
    afterEach(() => records.projects.edit(project.metadata.name, (current) => ({ ...current, metadata: { ...current.metadata, finalizers: [] } })))

    const variable = { name: 'KEY', environment: 'production' }
    const save = (own: ClusterClient, value: string, secret: boolean) =>
      saveSharedVariable(storesOf(own), project.metadata.name, { ...variable, value, secret })
    const remove = (own: ClusterClient) => deleteSharedVariable(storesOf(own), project.metadata.name, variable)
    /** What the record says of the variable, and every value that is kept. */
    async function told(): Promise<[object[], Record<string, string>]> {
      const spec = (await records.projects.readLive(project.metadata.name))?.spec
      const data = (await secretOf(`${project.metadata.name}-shared`))?.data ?? {}
      return [spec?.sharedVariables ?? [], Object.fromEntries(Object.entries(data).map(([key, value]) => [key, plain(value)]))]
    }
    const entry = () => ({ ...variable, secretRef: { name: `${project.metadata.name}-shared`, key: 'production.KEY' } })
    const sweep = (before: number) => sweepSharedValues(records, before)

    for (const point of [...points, { when: 'before', write: 3 } as const]) {
      it(`${point.when} write ${point.write}: the next try saves it, and the sweep leaves no value that nobody refers to`, async () => {
        await dyingAt(point, (mortal) => save(mortal, 'first', true))
        const [kept] = await told()
        await sweep(Date.now() - 60_000)
        await sweep(later())
        expect(Object.keys((await told())[1])).to.deep.equal(kept.length === 0 ? [] : ['production.KEY'])
        await save(client, 'second', true)
        expect(await told()).to.deep.equal([[entry()], { 'production.KEY': 'second' }])
      })
    }

    for (const [what, change] of [
      ['turning it plain', (own: ClusterClient) => save(own, 'open', false)],
      ['deleting it', remove],
    ] as const) {
      it(`after the record of ${what}: the sweep takes the value away`, async () => {
        await save(client, 'hidden', true)
        await dyingAt({ when: 'after', write: 1 }, change)
        expect((await told())[1]).to.deep.equal({ 'production.KEY': 'hidden' })
        await sweep(Date.now() - 60_000)
        expect((await told())[1]).to.deep.equal({ 'production.KEY': 'hidden' })
        await sweep(later())
        expect((await told())[1]).to.deep.equal({})
      })
    }

    it('saving and deleting it at once: a variable that is there has its value', async () => {
      for (let round = 0; round < 10; round += 1) {
        await save(client, 'before', true)
        await Promise.all([save(client, 'after', true), remove(client)])
        const [variables, values] = await told()
        if (variables.length > 0) expect(values).to.deep.equal({ 'production.KEY': 'after' })
      }
    })
  })

  async function clearAll(): Promise<void> {
    await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: 'platform-registry' })
    await client.delete({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' })
  }
})
