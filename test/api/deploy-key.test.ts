/** The deploy key of a service: only its public half is shown, and it is a Secret of that service alone. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { textsOf } from '../../cluster/objects/secret-data.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { keyFingerprint } from '../../records/secrets/fingerprints.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { type Answer, startTestApi, type TestApi } from './test-api.ts'

type Secret = KubeObject & { data?: Record<string, string> }

describe('the deploy key of a service', function () {
  this.timeout(60_000)
  let api: TestApi
  let client: ClusterClient
  let token: string
  let project: string
  let app: string

  before(async () => {
    ;({ client } = await useStack())
    api = await startTestApi()
    token = await api.token({ role: 'admin' })
    project = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body.project
    app = await create({ source: 'git', repository: 'git@git.example.test:team/web.git' })
  })
  after(async () => {
    await client.delete(secretRef(app))
    await api.stop()
  })

  const secretRef = (name: string) => ({
    type: coreTypes.secret,
    namespace: systemNamespace,
    name: `${name}-deploy-key`,
  })
  const create = async (fields: object): Promise<string> => {
    const json = { project, environment: 'production', ...fields }
    const { body, text, status } = await api.ask('POST', '/api/v1/apps', { token, json })
    expect(status, text).to.equal(200)
    await eventually('the api knows it', () => api.needs.caches.apps.get(body.name, systemNamespace) !== undefined)
    return body.name
  }
  const read = (): Promise<Answer> => api.ask('GET', `/api/apps/${app}/deploy-key`, { token })
  const post = (verb: 'rotate' | 'delete', name = app): Promise<Answer> =>
    api.ask('POST', `/api/apps/${name}/deploy-key/${verb}`, { token, form: {} })

  it('GET /api/apps/{app}/deploy-key: shows none before it is made, and the public half after', async () => {
    expect((await read()).body).to.deep.equal({ configured: false, hosts: [] })
    const { status, body, text } = await post('rotate')
    expect(status, text).to.equal(200)
    expect(body.publicKey).to.match(new RegExp(`^ssh-ed25519 [A-Za-z0-9+/=]+ svc-${app}$`))
    expect(body.fingerprint).to.equal(keyFingerprint(body.publicKey))
    const { publicKey, fingerprint } = body
    expect((await read()).body).to.deep.equal({ configured: true, publicKey, fingerprint, hosts: [] })
  })

  it('is a Secret of this service, whose private half is in no answer and no log', async () => {
    const secret = await client.get<Secret>(secretRef(app))
    expect(secret?.metadata.labels).to.include({ [labels.app]: app, [labels.purpose]: 'deploy-key' })
    const [, line = ''] = (textsOf(secret)['ssh-privatekey'] ?? '').split('\n')
    expect(line.length).to.equal(70)
    expect([JSON.stringify(api.logLines()), (await read()).text].filter((text) => text.includes(line))).to.deep.equal(
      [],
    )
  })

  it('POST /api/apps/{app}/deploy-key/rotate: replaces the key, and drops the host key that was known', async () => {
    const before = (await read()).body.publicKey
    const hosts = `git.example.test ${before}\n`
    await client.patch(secretRef(app), { data: { known_hosts: Buffer.from(hosts).toString('base64') } })
    expect((await read()).body.hosts).to.deep.equal([`git.example.test ${keyFingerprint(before)}`])
    expect((await post('rotate')).body.publicKey).not.to.equal(before)
    expect((await read()).body.hosts).to.deep.equal([])
  })

  it('POST /api/apps/{app}/deploy-key/delete: removes it once', async () => {
    expect((await post('delete')).body).to.deep.equal({ ok: true })
    expect((await read()).body).to.deep.equal({ configured: false, hosts: [] })
    const again = await post('delete')
    expect([again.status, again.body.error]).to.deep.equal([400, 'the service has no deploy key'])
  })

  it('is refused for a service of an image, and where another Secret has its name', async () => {
    const image = await create({ image: 'svc/hello:1' })
    const refused = await post('rotate', image)
    expect([refused.status, refused.body.error]).to.deep.equal([
      400,
      'only a service that is built from git has a deploy key',
    ])
    const metadata = { name: `${app}-deploy-key`, namespace: systemNamespace, labels: { [labels.project]: project } }
    await client.create(coreTypes.secret, { apiVersion: 'v1', kind: 'Secret', metadata })
    expect((await post('rotate')).body.error).to.equal(
      `the Secret ${app}-deploy-key was not made for this service; remove it`,
    )
    expect((await read()).body.configured).to.equal(false)
  })
})
