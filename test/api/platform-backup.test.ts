/** The backup of what svc itself keeps: what is in it, who may have it, and which parts of one are taken back. */
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { newKey, openBackup } from '../../cli/platform/backup-file.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { dataOf } from '../../cluster/objects/secret-data.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { BackupEntry } from '../../kinds/platform-backups/entry.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { createApp, createProject, useRecords } from '../harness/records.ts'
import { startTestApi, type TestApi } from './test-api.ts'

const backup = 'ab'.repeat(8)
const inSystem = { namespace: systemNamespace }
const packed = (...entries: unknown[]) => gzipSync(entries.map((it) => JSON.stringify(it)).join('\n')).toString('base64url') // prettier-ignore

describe('a backup of what svc itself keeps', function () {
  this.timeout(60_000)
  let api: TestApi
  let client: ClusterClient
  let cookie: string
  let key: Awaited<ReturnType<typeof newKey>>

  before(async () => {
    await forgetRecords()
    ;({ client } = await useRecords())
    api = await startTestApi()
    cookie = await api.signIn('admin')
    key = await newKey()
  })
  after(async () => {
    await api.stop()
    for (const name of secretNames) await client.delete({ type: coreTypes.secret, ...inSystem, name })
  })

  const secretNames: string[] = []
  async function makeSecret(name: string, own: Record<string, string>): Promise<void> {
    secretNames.push(name)
    const metadata = { name, ...inSystem, labels: own }
    await client.create<KubeObject & { data: object }>(coreTypes.secret, { apiVersion: 'v1', kind: 'Secret', metadata, data: dataOf({ a: 'sesame' }) }) // prettier-ignore
  }
  const taken = async (): Promise<BackupEntry[]> => {
    const form = { recipient: key.recipient }
    const { status, body } = await api.ask('POST', '/api/platform/backup', { cookie, form })
    expect(status).to.equal(200)
    const { header, entries } = await openBackup(Buffer.from(body.file, 'base64'), key.text)
    expect([header.id, header.entries]).to.deep.equal([body.id, entries.length])
    return entries.map((entry) => JSON.parse(entry))
  }
  const restore = async (...entries: unknown[]) =>
    await api.ask('POST', '/api/platform/restore', {
      cookie,
      form: { backup, step: 'records', entries: packed(...entries) },
    })

  it('POST /api/platform/backup holds records with their Secrets by the name of their owner, and not those that svc makes again', async () => {
    const records = await useRecords()
    const project = await createProject(records)
    const app = await createApp(records, project)
    const { name, uid = '' } = app.metadata
    const own = { [labels.managedBy]: 'svc', [labels.purpose]: secretPurposes.variables }
    await makeSecret(`${name}-kept`, { ...own, [labels.owner]: uid })
    await makeSecret(`${name}-remade`, { ...own, [labels.owner]: 'of-a-database' })
    await makeSecret(`${name}-by-hand`, { [labels.project]: project.metadata.name })
    await makeSecret(`${name}-stranger`, {})
    const entries = await taken()
    const of = (kind: string) => entries.filter(({ object }) => object.kind === kind).map(({ object, owner }) => [object.metadata.name, owner?.name]) // prettier-ignore
    expect(of('SvcApp')).to.deep.equal([[name, undefined]])
    expect(of('Secret').filter(([secret = '']) => secret.startsWith(name))).to.have.deep.members([
      [`${name}-kept`, name],
      [`${name}-by-hand`, undefined],
    ])
    expect(entries[0]?.object.kind).to.equal('SvcProject')
    expect(entries.at(-1)?.object.metadata.name).to.equal('svc-dashboard-auth')
    expect(JSON.stringify(entries)).not.to.include(uid)
  })

  it('is sealed to a key alone, and a wrong one is refused', async () => {
    const recipient = `${key.recipient.slice(0, -1)}${key.recipient.endsWith('q') ? 'p' : 'q'}`
    const { status, body } = await api.ask('POST', '/api/platform/backup', { cookie, form: { recipient } })
    expect([status, body.error]).to.deep.equal([400, 'recipient is no public key of age: a character of it is wrong'])
  })

  it('POST /api/platform/restore refuses what is no part of a backup without repeating it', async () => {
    const sentence = 'entries must be lines of a backup of the platform, packed by svc'
    for (const entries of [
      'sesame',
      packed({ object: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'x' } } }),
      gzipSync('{"sesame').toString('base64url'),
    ]) {
      // prettier-ignore
      const form = { backup, step: 'records', entries }
      const { status, body } = await api.ask('POST', '/api/platform/restore', { cookie, form })
      expect([status, body.error]).to.deep.equal([400, sentence])
    }
    expect(JSON.stringify(api.logLines())).not.to.include('sesame')
  })

  it('takes at most a hundred entries at once', async () => {
    const entry = { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } } }
    const { body } = await restore(...Array.from({ length: 101 }, () => entry))
    expect(body.error).to.equal('entries must be at most 100')
  })

  it('neither holds nor brings back a Secret that the cluster fills with the token of an account', async () => {
    await forgetRecords()
    const name = 'token-of-an-account'
    const object = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        labels: { [labels.managedBy]: 'svc' },
        annotations: { 'kubernetes.io/service-account.name': 'default' },
      },
      type: 'kubernetes.io/service-account-token',
    }
    secretNames.push(name)
    const { body } = await restore({ object })
    expect([body.written, body.refused]).to.deep.equal([
      0,
      [{ kind: 'Secret', name, error: `Secret ${name} asks the cluster for the token of an account` }],
    ])
    await client.create<KubeObject>(coreTypes.secret, { ...object, metadata: { ...object.metadata, ...inSystem } })
    expect((await taken()).filter(({ object: { metadata } }) => metadata.name === name)).to.deep.equal([])
  })

  it('reports the objects that cannot be restored, and restores the others', async () => {
    await forgetRecords()
    const orphan = {
      owner: { kind: 'app', name: 'nowhere' },
      object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'orphan' } },
    }
    const project = {
      object: {
        apiVersion: 'svc.svc.dev/v1alpha1',
        kind: 'SvcProject',
        metadata: { name: 'proj-0a1b2c3d' },
        spec: { displayName: 'back', environments: ['production'] },
      },
    }
    const { body } = await restore({ object: { ...project.object, spec: 1 } }, orphan, project)
    const [unreadable, unowned] = body.refused
    expect([body.written, body.refused.length, unreadable.name]).to.deep.equal([1, 2, 'proj-0a1b2c3d'])
    expect(unowned.error).to.equal('Secret orphan belongs to SvcApp nowhere, which is not there')
    const made = await client.get<KubeObject>({ type: resourceTypes.project, ...inSystem, name: 'proj-0a1b2c3d' })
    expect(made?.metadata.annotations?.[annotations.restoredFrom]).to.equal(backup)
    expect((await restore(project)).body).to.deep.include({ written: 0, there: 1 })
  })

  it('leaves a record without what those of its kind have to the cluster, which refuses it or sets its defaults', async () => {
    const bare = (kind: string, spec?: unknown) => ({
      object: {
        apiVersion: 'svc.svc.dev/v1alpha1',
        kind,
        metadata: { name: 'bare' },
        ...(spec === undefined ? {} : { spec }),
      },
    })
    const kinds = ['SvcApp', 'SvcDatabase', 'SvcObjectStore']
    const entries = kinds.flatMap((kind) => [bare(kind), bare(kind, {}), bare(kind, { deploy: null })])
    const { status, body } = await restore(...entries)
    expect(status).to.equal(200)
    const apps = body.refused.filter(({ kind }: { kind: string }) => kind === 'SvcApp')
    expect(apps).to.have.length(3)
    for (const { error } of apps) expect(error).to.include('spec')
  })
})
