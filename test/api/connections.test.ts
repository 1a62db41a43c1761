/** Which services of an environment are connected to what. */
import { expect } from 'chai'
import { startTestApi, type TestApi } from './test-api.ts'

describe('connections of an environment', function () {
  this.timeout(60_000)
  let api: TestApi
  let token: string
  let project: string
  const [web, mail, database] = ['connections-web', 'connections-mail', 'connections-orders']

  const ask = (method: string, path: string, json?: unknown) =>
    api.ask(method, path, { token, ...(json === undefined ? {} : { json }) })

  before(async () => {
    api = await startTestApi()
    token = await api.token({ role: 'admin' })
    project = (await ask('POST', '/api/v1/projects', {})).body.project
    const place = { project, environment: 'production' }
    for (const name of [web, mail])
      expect((await ask('POST', '/api/v1/apps', { ...place, name, image: 'svc/hello:1' })).status).to.equal(200)
    expect((await ask('POST', '/api/v1/databases', { ...place, name: database })).status).to.equal(200)
  })
  after(async () => {
    await ask('DELETE', `/api/v1/projects/${project}?confirmName=${project}`)
    await api.stop()
  })

  it('are those of all its services (GET /api/projects/{project}/connections), for admins alone', async () => {
    const path = `/api/projects/${project}/connections`
    expect((await ask('GET', path)).body).to.deep.equal({ items: [] })
    const attached = await ask('POST', `/api/v1/apps/${web}/attach`, { kind: 'database', name: database })
    expect(attached.status).to.equal(200)
    await ask('POST', `/api/v1/apps/${web}/config/set`, { key: 'MAIL_URL', value: `http://${mail}:8080` })
    const items = [
      { app: web, kind: 'database', name: database, variables: ['DATABASE_URL'] },
      { app: web, kind: 'app', name: mail, variables: ['MAIL_URL'] },
    ]
    expect((await ask('GET', `${path}?environment=production`)).body).to.deep.equal({ items })
    expect((await ask('GET', `${path}?environment=nowhere`)).status).to.equal(400)
    for (const role of ['viewer', 'observer']) {
      const other = await api.token({ name: role, role })
      expect((await api.ask('GET', path, { token: other })).status).to.equal(403)
    }
  })
})
