/** The list of cloud connections: what admins see of them, and of their keys nothing. */
import { expect } from 'chai'
import type { View } from '../../contract/operations.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('cloud connections', function () {
  this.timeout(60_000)
  let api: TestApi
  let token: string

  before(async () => {
    api = await startTestApi()
    token = await api.token({ role: 'admin' })
  })
  after(async () => {
    await api.stop()
    await forgetRecords()
  })

  it('GET /api/cloud-connections lists them with what the last check said, and never a key', async () => {
    const { project } = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body
    const name = `listed-${project}`
    const keys = { accessKeyId: 'AKIA', secretAccessKey: 'never-shown' }
    await api.ask('POST', '/api/v1/cloud-connections/create', { token, json: { name, project, ...keys } })
    const { text, body } = await api.ask('GET', '/api/cloud-connections', { token })
    const found = (body as View<'cloud-connections.list'>).items.find((item) => item.name === name)
    expect(found).to.deep.include({ project, provider: 'AWS', account: '', ready: false })
    expect(found?.message).to.equal('nothing has checked it yet')
    expect(text).not.to.match(/AKIA|never-shown|credentials/)
  })
})
