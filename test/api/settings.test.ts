/** Platform settings over HTTP, of the registry and the git host: saved, read back without their secrets, cleared. */
import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { useSettings } from './settings-world.ts'

describe('platform settings', () => {
  const { world, ask, read, form, leaks, config, secret } = useSettings()

  const loginIn = async (): Promise<Record<string, { username: string; password: string; auth: string }>> =>
    (
      JSON.parse((await secret('platform-registry'))?.values['.dockerconfigjson'] ?? '{"auths":{}}') as {
        auths: Awaited<ReturnType<typeof loginIn>>
      }
    ).auths

  it('POST /api/settings/registry/save, GET /api/settings/registry and POST /api/settings/registry/clear keep a login that no answer has', async () => {
    expect(await read('registry')).to.deep.equal({ repository: '', configured: false, hasLogin: false })
    const answer = await form('registry/save', {
      repository: 'ghcr.io/acme/apps',
      username: 'robot',
      password: 's3cret-pass',
    })
    expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }])
    expect(await read('registry')).to.deep.equal({ repository: 'ghcr.io/acme/apps', configured: true, hasLogin: true })
    expect((await secret('platform-registry'))?.type).to.equal('kubernetes.io/dockerconfigjson')
    expect(await loginIn()).to.deep.equal({
      'ghcr.io': {
        username: 'robot',
        password: 's3cret-pass',
        auth: Buffer.from('robot:s3cret-pass').toString('base64'),
      },
    })
    expect((await config())?.spec.registry).to.deep.equal({
      repository: 'ghcr.io/acme/apps',
      credentialRef: { name: 'platform-registry' },
    })
    expect((await ask('GET', '/api/v1/settings/registry')).text).not.to.include('s3cret')
    // Only the repository changes: the login stays, now for the new repository's host.
    expect((await form('registry/save', { repository: 'acme/apps', keepExisting: 'on' })).body).to.deep.equal({
      ok: true,
    })
    expect(Object.entries(await loginIn()).map(([host, { password }]) => [host, password])).to.deep.equal([
      ['https://index.docker.io/v1/', 's3cret-pass'],
    ])
    expect((await form('registry/save', { repository: 'localhost:5000/apps' })).body).to.deep.equal({ ok: true })
    expect(await read('registry')).to.deep.equal({
      repository: 'localhost:5000/apps',
      configured: true,
      hasLogin: false,
    })
    expect(await loginIn()).to.deep.equal({})
    expect((await form('registry/clear')).body).to.deep.equal({ ok: true })
    expect(await read('registry')).to.deep.equal({ repository: '', configured: false, hasLogin: false })
    expect([await secret('platform-registry'), (await config())?.spec.registry]).to.deep.equal([undefined, undefined])
    expect((await form('registry/clear')).body).to.deep.equal({ ok: true })
  })

  it('POST /api/settings/registry/save refuses half a login and what is no repository, and keeps what was there', async () => {
    await form('registry/save', { repository: 'ghcr.io/acme/apps', username: 'robot', password: 'kept' })
    const both = 'give both username and password, or neither'
    expect((await form('registry/save', { repository: 'ghcr.io/other', username: 'robot' })).body).to.deep.equal({
      error: both,
    })
    expect(
      (await form('registry/save', { repository: 'ghcr.io/other', password: 'x', keepExisting: 'on' })).body,
    ).to.deep.equal({ error: both })
    for (const repository of ['', 'https://ghcr.io/acme', 'ghcr.io/Acme', 'ghcr.io/acme:latest', 'ghcr.io//acme'])
      expect((await form('registry/save', { repository })).body, repository).to.deep.equal({
        error: 'repository must be a registry path such as registry.example.com/team',
      })
    expect(await read('registry')).to.deep.equal({ repository: 'ghcr.io/acme/apps', configured: true, hasLogin: true })
    expect((await loginIn())['ghcr.io']?.password).to.equal('kept')
    const stale = await ask('POST', '/api/settings/registry/save', {
      form: { repository: 'ghcr.io/other' },
      headers: { 'If-Match': '"1"' },
    })
    expect(stale.body).to.deep.equal({ error: 'the resource was changed by another writer; read it again and retry' })
  })

  for (const setting of ['registry', 'domain', 'dns-provider', 'githost'])
    it(`GET /api/settings/${setting} says the version of the configuration as its ETag`, async () => {
      await ask('POST', '/api/settings/domain/save', { form: { rootDomain: 'versions.example.com' } })
      const before = await ask('GET', `/api/settings/${setting}`)
      const saved = await ask('POST', '/api/settings/domain/save', {
        form: { rootDomain: 'other.example.com' },
        headers: { 'If-Match': before.headers.get('etag') ?? '' },
      })
      expect(saved.status, saved.text).to.equal(200)
      await form('domain/clear')
    })

  it('POST /api/settings/githost/save, GET /api/settings/githost and POST /api/settings/githost/clear keep the keys of the app to themselves', async () => {
    const none = { appId: '', clientId: '', slug: '', configured: false }
    expect(await read('githost')).to.deep.equal(none)
    const privateKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const app = {
      appId: '4711',
      clientId: 'Iv1.abc',
      clientSecret: 'c-secret',
      slug: 'svc-acme',
      privateKey,
      webhookSecret: 'w-secret',
    }
    for (const field of Object.keys(app)) {
      const { [field as keyof typeof app]: _, ...others } = app // the keys of a constant object
      expect((await form('githost/save', others)).body, field).to.deep.equal({ error: `${field} is required` })
    }
    expect((await form('githost/save', { ...app, privateKey: 'no key' })).body).to.deep.equal({
      error: 'privateKey must be a private key in PEM form',
    })
    expect((await form('githost/save', app)).body).to.deep.equal({ ok: true })
    expect(await read('githost')).to.deep.equal({
      appId: '4711',
      clientId: 'Iv1.abc',
      slug: 'svc-acme',
      configured: true,
    })
    expect(Object.keys((await secret('platform-githost'))?.values ?? {}).sort()).to.deep.equal([
      'app_id',
      'client_id',
      'client_secret',
      'private_key',
      'slug',
      'webhook_secret',
    ])
    expect((await form('githost/save', { keepExisting: 'on', slug: 'svc-other' })).body).to.deep.equal({ ok: true })
    expect((await secret('platform-githost'))?.values).to.deep.include({ slug: 'svc-other', client_secret: 'c-secret' })
    const { project } = (await ask('POST', '/api/v1/projects', { json: {} })).body
    const install = await ask('POST', `/api/projects/${project}/githost/install`, {
      form: { environment: 'production' },
    })
    expect(install.body.url).to.match(/^https:\/\/github\.com\/apps\/svc-other\/installations\/new\?state=/)
    expect((await form('githost/clear')).body).to.deep.equal({ ok: true })
    expect([await read('githost'), await secret('platform-githost')]).to.deep.equal([none, undefined])
  })

  it('settings are for admins, on both surfaces', async () => {
    for (const path of [
      '/api/settings/registry',
      '/api/v1/settings/registry',
      '/api/settings/domain',
      '/api/settings/dns-provider',
      '/api/settings/githost',
    ])
      expect((await ask('GET', path, { token: world.observer })).body?.error, path).to.equal(
        'viewer role cannot access this',
      )
    expect(
      (await ask('POST', '/api/v1/settings/registry/save', { json: { repository: 'ghcr.io/acme' } })).body,
    ).to.deep.equal({ ok: true })
    expect((await ask('GET', '/api/v1/settings/registry')).body).to.deep.include({
      repository: 'ghcr.io/acme',
    })
    expect(leaks()).to.deep.equal([])
  })
})
