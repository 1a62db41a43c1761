/** A Secret that is labelled as a token and holds none, made by hand or copied from another one. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { tokenSecretName } from '../../kinds/system-secrets.ts'
import { authSecret, type AuthSecret } from '../../records/secrets/auth-secret.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('a Secret that holds no token', () => {
  let client: ClusterClient
  let api: TestApi
  let cookie: string
  const made: string[] = []

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    api = await startTestApi()
    cookie = await api.signIn('admin')
  })
  after(async () => {
    await api.stop()
    for (const name of made) await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name })
  })

  async function make(name: string, values: Record<string, string>): Promise<void> {
    made.push(name)
    await client.create<AuthSecret>(coreTypes.secret, authSecret(name, 'token', values))
  }

  it('is no token, and keeps no one from listing them, signing in by code or using one', async () => {
    const { body: mine } = await api.ask('POST', '/api/v1/tokens', { cookie, json: { name: 'mine', role: 'viewer' } })
    const secret = await client.get<AuthSecret>({
      type: coreTypes.secret,
      namespace: systemNamespace,
      name: tokenSecretName(mine.item.id),
    })
    const text = (key: string) => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString()
    const [copied, whole] = ['a2b3c4d5e6f7', 'b2b3c4d5e6f7']
    await make('token-by-hand', { token: 'no JSON' })
    await make(tokenSecretName(copied), { token: text('token'), digest: text('digest') })
    await make(tokenSecretName(whole), { token: text('token').replace(mine.item.id, whole) })
    const list = () => api.ask('GET', '/api/v1/tokens', { cookie })
    const ids = async () => (await list()).body.items?.map((each: { id: string }) => each.id) ?? []
    await eventually('the last one is seen', async () => (await ids()).includes(whole))
    expect((await ids()).filter((id: string) => [copied, mine.item.id].includes(id))).to.deep.equal([mine.item.id])
    expect((await api.ask('POST', '/api/v1/auth/device', { json: { clientName: 'laptop' } })).status).to.equal(200)
    const me = async (token: string) => (await api.ask('GET', '/api/v1/me', { token })).status
    expect(await me(mine.token)).to.equal(200)
    expect(await me(mine.token.replace(mine.item.id, copied)), 'a copy under another name').to.equal(401)
  })
})
