/**
 * Platform settings, cut between their Secret and the configuration: the next try and the resync each clean up what was
 * left.
 */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { saveRegistry } from '../../records/settings/registry.ts'
import { clearSetting, followSettings } from '../../records/settings/save-setting.ts'
import { useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'
import { dyingAt, plain, points, secretOf } from './dying.ts'

describe('an api that dies while it saves the registry', () => {
  let client: ClusterClient

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    ;({ client } = await useRecords())
  })
  after(() => clearAll())
  beforeEach(() => clearAll())

  const old = { repository: 'old.example.com/team', username: 'old', password: 'old-password', keepExisting: false }
  const wanted = { repository: 'new.example.com/team', username: 'new', password: 'new-password', keepExisting: false }
  const config = () =>
    client.get<PlatformConfig>({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' })
  /** The repository, whether it names a login, and the hosts for which the Secret has logins. */
  async function readBack(): Promise<[string, boolean, string[]]> {
    const { repository = '', credentialRef } = (await config())?.spec.registry ?? {}
    const login = plain((await secretOf(client, 'platform-registry'))?.data?.['.dockerconfigjson'])
    return [
      repository,
      credentialRef !== undefined,
      login === '' ? [] : Object.keys((JSON.parse(login) as { auths: object }).auths),
    ]
  }
  const oldState: Awaited<ReturnType<typeof readBack>> = ['old.example.com/team', true, ['old.example.com']]
  const newState: Awaited<ReturnType<typeof readBack>> = ['new.example.com/team', true, ['new.example.com']]

  for (const point of points) {
    const at = `${point.when} write ${point.write}`
    it(`${at}: the next try saves it whole`, async () => {
      await saveRegistry({ client }, old)
      await dyingAt(client, point, (mortal) => saveRegistry({ client: mortal }, wanted))
      await saveRegistry({ client }, wanted)
      expect(await readBack()).to.deep.equal(newState)
    })

    it(`${at}: the resync leaves all of the old one or all of the new one`, async () => {
      await saveRegistry({ client }, old)
      await dyingAt(client, point, (mortal) => saveRegistry({ client: mortal }, wanted))
      await followSettings({ client })
      expect(await readBack()).to.deep.equal(point.write === 1 && point.when === 'before' ? oldState : newState)
    })

    it(`${at} of a first save that keeps the login: the next one keeps it`, async () => {
      await saveRegistry({ client }, old)
      await dyingAt(client, point, (mortal) =>
        saveRegistry({ client: mortal }, { ...wanted, username: '', password: '', keepExisting: true }),
      )
      await saveRegistry({ client }, { ...wanted, username: '', password: '', keepExisting: true })
      expect(await readBack()).to.deep.equal(newState)
      expect(plain((await secretOf(client, 'platform-registry'))?.data?.['.dockerconfigjson'])).to.include(
        'old-password',
      )
    })
  }

  for (const write of [1, 2, 3]) {
    it(`after write ${write} of clearing it: the next try and the resync remove login and repository`, async () => {
      for (const repair of [() => clearSetting({ client }, 'registry'), () => followSettings({ client })]) {
        await saveRegistry({ client }, old)
        await dyingAt(client, { when: 'after', write }, (mortal) => clearSetting({ client: mortal }, 'registry'))
        await repair()
        expect(await readBack()).to.deep.equal(['', false, []])
        expect(await secretOf(client, 'platform-registry')).to.equal(undefined)
      }
    })
  }

  for (const text of [
    '{"turn":',
    '[]',
    '"x"',
    'null',
    '{"turn":"1","part":{}}',
    '{"turn":7,"part":{"registry":5}}',
    '{"turn":7,"part":{"rootDomain":"a.b"}}',
    '{"registry":-1}',
  ]) {
    it(`an unreadable annotation written by kubectl stops neither save nor resync: ${text}`, async () => {
      const setting = { metadata: { annotations: { 'svc.dev/setting': text } } }
      await saveRegistry({ client }, old)
      await client.patch({ type: coreTypes.secret, namespace: systemNamespace, name: 'platform-registry' }, setting)
      await client.patch({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' }, setting)
      await followSettings({ client })
      expect(await readBack()).to.deep.equal(oldState)
      await saveRegistry({ client }, wanted)
      expect(await readBack()).to.deep.equal(newState)
      await clearSetting({ client }, 'registry')
      expect(await readBack()).to.deep.equal(['', false, []])
    })
  }

  for (const text of [
    'null',
    '{"auths":null}',
    '{"auths":{"old.example.com":null}}',
    '{"auths":{"a.b":{"username":5}}}',
  ]) {
    it(`a save that keeps the login goes through where kubectl made the Secret hold ${text}`, async () => {
      await saveRegistry({ client }, old)
      await client.patch(
        { type: coreTypes.secret, namespace: systemNamespace, name: 'platform-registry' },
        { data: { '.dockerconfigjson': Buffer.from(text).toString('base64') } },
      )
      await saveRegistry({ client }, { ...wanted, username: '', password: '', keepExisting: true })
      expect(await readBack()).to.deep.equal(['new.example.com/team', false, []])
    })
  }

  it('many saves at once, some of them clearing: repository and login are of one save', async () => {
    const saves = Array.from({ length: 12 }, (_, index) => async () => {
      if (index % 4 === 3) return clearSetting({ client }, 'registry')
      return saveRegistry(
        { client },
        { repository: `r${index}.example.com/team`, username: `u${index}`, password: `p${index}`, keepExisting: false },
      )
    })
    await Promise.all(saves.map((save) => save()))
    const [repository, hasLogin, hosts] = await readBack()
    expect(hosts).to.deep.equal(repository === '' ? [] : [repository.split('/')[0]])
    expect(hasLogin).to.equal(repository !== '')
  })

  it('a save during a concurrent clear succeeds', async () => {
    await saveRegistry({ client }, old)
    let cleared = false
    const outrun: ClusterClient = {
      ...client,
      async replace(type, object, options) {
        if (!cleared) await clearSetting({ client }, 'registry')
        cleared = true
        return client.replace(type, object, options)
      },
    }
    await saveRegistry({ client: outrun }, wanted)
    expect(await readBack()).to.deep.equal(newState)
  })

  it('does not undo what was set with kubectl since', async () => {
    await saveRegistry({ client }, old)
    const live = await config()
    if (live === undefined) throw new Error('no configuration')
    await client.replace(resourceTypes.platformConfig, {
      ...live,
      spec: { ...live.spec, registry: { repository: 'by.hand.example.com' } },
    })
    await followSettings({ client })
    expect((await config())?.spec.registry).to.deep.equal({ repository: 'by.hand.example.com' })
  })

  async function clearAll(): Promise<void> {
    await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: 'platform-registry' })
    await client.delete({ type: resourceTypes.platformConfig, namespace: systemNamespace, name: 'platform' })
  }
})
