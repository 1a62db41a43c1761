/** What is saved and not deployed: read field by field, and taken back. */
import { expect } from 'chai'
import { useWorker } from '../harness/worker.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('pending changes', function () {
  this.timeout(120_000)
  let api: TestApi
  let token: string
  let project: string
  const name = 'pending-web'

  const ask = (method: string, path: string, json?: unknown) =>
    api.ask(method, path, { token, ...(json === undefined ? {} : { json }) })
  const pending = async () => (await ask('GET', `/api/apps/${name}/pending`)).body

  before(async () => {
    await useWorker()
    api = await startTestApi()
    token = await api.token({ name: 'pending', role: 'admin' })
    project = (await ask('POST', '/api/v1/projects', {})).body.project
    const made = { project, environment: 'production', name, image: 'svc/hello:1', replicas: 1 }
    expect((await ask('POST', '/api/v1/apps', made)).status).to.equal(200)
  })
  after(async () => {
    await ask('DELETE', `/api/v1/projects/${project}?confirmName=${project}`)
    await api.stop()
  })

  it('of a draft are that it was created (GET /api/apps/{app}/pending), which cannot be discarded', async () => {
    expect(await pending()).to.deep.include({
      kind: 'app',
      name,
      pending: ['created'],
      changes: [],
      secretsChanged: false,
    })
    const { status, body } = await api.ask('POST', `/api/apps/${name}/discard`, { token, form: {} })
    expect([status, body.error]).to.deep.equal([
      400,
      'nothing was deployed yet; delete the service to discard its draft',
    ])
  })

  it('are the fields that a deploy would change, live ones not among them', async () => {
    expect((await ask('POST', `/api/v1/apps/${name}/deploy`)).status).to.equal(200)
    await ask('PATCH', `/api/v1/apps/${name}`, { image: 'svc/hello:2', replicas: 3 })
    await ask('POST', `/api/v1/apps/${name}/config/set`, { key: 'LEVEL', value: 'debug' })
    const { changes, pending: words, version } = await pending()
    expect(words).to.deep.equal(['settings', 'variables'])
    expect(changes).to.deep.equal([
      { field: 'configData.LEVEL', after: 'debug' },
      { field: 'source.image.image', before: 'svc/hello:1', after: 'svc/hello:2' },
    ])
    expect(version).to.match(/^\d+$/)
  })

  it('of an environment are those of all that is in it (GET /api/projects/{project}/pending)', async () => {
    const path = `/api/projects/${project}/pending`
    const { body } = await ask('GET', `${path}?environment=production`)
    expect(body.items.map((item: { name: string }) => item.name)).to.deep.equal([name])
    expect((await ask('GET', path)).body).to.deep.equal(body)
    expect((await ask('GET', `${path}?environment=nowhere`)).status).to.equal(400)
  })

  it('never hold a secret value', async () => {
    await ask('POST', `/api/v1/apps/${name}/secrets/set`, { key: 'KEY', value: 'a-very-secret-value' })
    const answer = await ask('GET', `/api/apps/${name}/pending`)
    expect(answer.body.secretsChanged).to.equal(true)
    expect(answer.text).not.to.include('a-very-secret-value')
  })

  it('are taken back (POST /api/apps/{app}/discard): what runs is saved again, live settings stay', async () => {
    const { status, body } = await api.ask('POST', `/api/apps/${name}/discard`, { token, form: {} })
    // The values that the secret had are gone.
    expect([status, body.pending]).to.deep.equal([200, ['variables']])
    const { spec } = (await ask('GET', `/api/v1/apps/${name}`)).body
    expect([spec.source.image.image, spec.configData, spec.replicas]).to.deep.equal(['svc/hello:1', {}, 3])
  })

  it('are refused to viewers and observers', async () => {
    for (const role of ['viewer', 'observer']) {
      const other = await api.token({ name: role, role })
      expect((await api.ask('GET', `/api/apps/${name}/pending`, { token: other })).status).to.equal(403)
      expect((await api.ask('GET', `/api/projects/${project}/pending`, { token: other })).status).to.equal(403)
    }
  })
})
