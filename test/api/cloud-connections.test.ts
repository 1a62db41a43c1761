/** Cloud connections: their keys are kept in Secrets, and of the keys admins see nothing. */
import { expect } from 'chai'
import type { View } from '../../contract/operations.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { textsOf } from '../../cluster/objects/secret-data.ts'
import { connectionRules } from '../../kinds/cloud-connections/rules.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { provisionPlan } from '../../kinds/provision/plan.ts'
import { useStack } from '../harness/stack.ts'
import { type Asked, startTestApi, type TestApi } from './test-api.ts'

describe('cloud connections', function () {
  this.timeout(60_000)
  let api: TestApi
  let client: ClusterClient
  let token: string

  before(async () => {
    ;({ client } = await useStack())
    api = await startTestApi()
    token = await api.token({ role: 'admin' })
  })
  after(async () => {
    await api.stop()
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

  /** The texts of its Secret; none where there is no Secret. */
  const keysOf = async (connection: string): Promise<Record<string, string>> =>
    textsOf(
      await client.get<KubeObject & { data?: Record<string, string> }>({
        type: coreTypes.secret,
        namespace: systemNamespace,
        name: `${connection}-credentials`,
      }),
    )

  it('POST /api/cloud-connections/create keeps the keys of both providers in a Secret beside the record', async () => {
    const { project } = (await api.ask('POST', '/api/v1/projects', { token, json: {} })).body
    const create = (fields: NonNullable<Asked['form']>) =>
      api.ask('POST', '/api/cloud-connections/create', { token, form: fields })
    const aws = { name: `aws-${project}`, project, accessKeyId: 'AKIA', secretAccessKey: 'k3y', region: 'eu-central-1' }
    expect((await create(aws)).body).to.deep.equal({ ok: true })
    expect((await create(aws)).body, 'asked again after a lost answer').to.deep.equal({ ok: true })
    expect(await keysOf(`aws-${project}`)).to.deep.equal({
      accessKeyId: 'AKIA',
      secretAccessKey: 'k3y',
      region: 'eu-central-1',
    })
    const planetScale = { name: `ps-${project}`, provider: 'PlanetScale', project, token: 't0k', organization: 'acme' }
    expect(
      (await api.ask('POST', '/api/v1/cloud-connections/create', { token, json: planetScale })).body,
    ).to.deep.equal({ ok: true })
    expect(await keysOf(`ps-${project}`)).to.deep.equal({ token: 't0k', organization: 'acme' })
    const made = api.needs.caches.cloudConnections.list().filter(({ spec }) => spec.project === project)
    expect(
      made
        .map(({ metadata, spec }) => [
          metadata.name,
          spec.provider,
          spec.secretRef.name,
          spec.region,
          spec.organization,
        ])
        .sort(byName),
    ).to.deep.equal([
      [`aws-${project}`, 'AWS', `aws-${project}-credentials`, 'eu-central-1', ''],
      [`ps-${project}`, 'PlanetScale', `ps-${project}-credentials`, '', 'acme'],
    ])
    const plans = made.map((record) => provisionPlan(connectionRules, record.metadata.name, record))
    expect(new Set(plans.map(({ operation }) => operation)), 'asked for through the api').to.deep.equal(
      new Set(['deploy']),
    )
    for (const { actor } of plans) expect(actor).to.match(/^token:/)
    for (const [fields, error] of [
      [{ ...aws, secretAccessKey: 'other' }, `the name aws-${project} is already used`],
      [{ ...aws, name: 'Not Plain' }, 'name must use lowercase letters, digits, and hyphens, up to 50 characters'],
      [{ ...aws, provider: 'Nimbus' }, 'provider must be AWS or PlanetScale'],
      [{ name: 'half', project, accessKeyId: 'AKIA' }, 'secretAccessKey is required'],
      [{ name: 'half', project, secretAccessKey: 'k3y' }, 'accessKeyId is required'],
      [
        { name: 'mixed', project, accessKeyId: 'AKIA', secretAccessKey: 'k3y', token: 'x' },
        'token and organization apply to the provider PlanetScale only',
      ],
      [{ name: 'half', provider: 'PlanetScale', project, token: 'x' }, 'organization is required'],
      [{ name: 'half', provider: 'PlanetScale', project, organization: 'x' }, 'token is required'],
      [
        { name: 'mixed', provider: 'PlanetScale', project, token: 'x', organization: 'x', region: 'eu' },
        'accessKeyId, secretAccessKey, and region apply to the provider AWS only',
      ],
    ] as const)
      expect((await create(fields)).body).to.deep.equal({ error })
    for (const missing of ['proj-00000000', 'No Project']) {
      const answer = await api.ask('POST', '/api/v1/cloud-connections/create', {
        token,
        json: { ...aws, name: 'lost', project: missing },
      })
      expect([answer.status, answer.body]).to.deep.equal([404, { error: 'project not found', code: 'not_found' }])
    }
    for (const name of ['half', 'mixed', 'lost']) expect(await keysOf(name), name).to.deep.equal({})
  })

  const byName = ([a = '']: readonly string[], [b = '']: readonly string[]): number => a.localeCompare(b)
})
