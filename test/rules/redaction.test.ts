/**
 * Which caller sees which fields of each kind of record: no path shows a caller without write access anything that is
 * to be hidden.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes, type ResourceTypeName } from '../../kinds/meta/resource-types.ts'
import { startTestApi, type Asked, type TestApi } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { keptNow, removeSince, type Kept } from '../property/kept.ts'

/** Stands in every field that only callers with write access may read. */
const mark = 'zq7hidden'
const project = `proj-${randomBytes(4).toString('hex')}`
const place = { project, environment: 'production' }
const secretKeyRef = { name: mark, key: mark }

interface Row {
  readonly kind: ResourceTypeName
  readonly spec: object
  readonly status?: object
  /** The paths that show the record, besides bootstrap. */
  readonly paths: readonly string[]
  /** Its key in bootstrap; a kind for admins only is absent for other callers. */
  readonly key: string
  readonly adminsOnly?: true
}

/** Messages that the worker and the kubelet may write about it. */
const said = (kind: ResourceTypeName): object => {
  const message = `Secret ${mark} in namespace svc-system belongs to another owner`
  const condition = {
    type: 'Ready',
    status: 'False',
    reason: 'ProvisionFailed',
    message,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  const end = { startedAt: condition.lastTransitionTime, completedAt: condition.lastTransitionTime, summary: message }
  const history = [{ id: 'seen-before', ...end, image: `${mark}/shop:1` }]
  // A project makes no Secrets whose names its status could contain.
  if (kind === 'build' || kind === 'project') return {}
  return {
    conditions: [condition],
    ...(kind === 'app'
      ? { lastAttempt: { id: 'seen', phase: 'Failed', summary: message, errors: [message] }, history }
      : {}),
  }
}

const rows: readonly Row[] = [
  {
    kind: 'project',
    key: 'projects',
    spec: {
      displayName: 'Seen by all',
      environments: ['production'],
      sharedVariables: [{ name: mark.toUpperCase(), value: mark }],
      backupStorage: { connectionRef: { name: mark }, bucket: mark, region: mark },
    },
    paths: ['/projects', '/projects/{name}'],
  },
  {
    kind: 'app',
    key: 'apps',
    spec: {
      ...place,
      source: { image: { image: `${mark}/shop:1`, pullSecret: mark } },
      env: [{ name: mark.toUpperCase(), value: mark }],
      configData: { [mark.toUpperCase()]: mark },
      sharedVariableRefs: [mark.toUpperCase()],
      secretRef: { name: mark },
      build: { command: [mark], args: [mark], workingDir: `/${mark}` },
    },
    status: { image: `${mark}/shop:1`, targetNamespace: `${project}-production` },
    paths: ['/apps', '/apps/{name}', '/apps/{name}/status'],
  },
  {
    kind: 'database',
    key: 'databases',
    spec: {
      ...place,
      engine: 'redis',
      placement: 'External',
      mode: 'Connect',
      provider: 'AWS',
      databaseName: mark,
      connectionRef: { name: mark },
      externalHost: `${mark}.example.com`,
      externalUsername: mark,
      externalPasswordRef: secretKeyRef,
    },
    status: { connectionSecret: mark, host: `${mark}.example.com`, port: 6379 },
    paths: ['/databases', '/databases/{name}'],
  },
  {
    kind: 'logicalDatabase',
    key: 'logicalDatabases',
    spec: { ...place, serverRef: 'seen-server', databaseName: mark },
    status: { connectionSecret: mark, database: mark, username: mark, jobName: mark },
    paths: ['/logical-databases', '/logical-databases/{name}'],
  },
  {
    kind: 'objectStore',
    key: 'objectStores',
    spec: {
      ...place,
      engine: 'Remote',
      placement: 'External',
      buckets: [mark],
      region: mark,
      connectionRef: { name: mark },
    },
    status: { connectionSecret: mark, endpoint: `https://${mark}.example.com` },
    paths: ['/object-stores', '/object-stores/{name}'],
  },
  {
    kind: 'backupArchive',
    key: 'backupArchives',
    spec: { ...place, database: 'seen', engine: 'postgres', connectionRef: { name: mark }, bucket: mark, path: mark },
    status: {
      checksum: 'whole',
      lastRestorePoint: '2026-01-01T00:00:00Z',
      drill: {
        asked: '2026-01-01T00:00:00Z',
        at: '2026-01-01T00:00:00Z',
        outcome: 'Failed',
        message: `cloud connection aws is incomplete: Secret ${mark} lacks accessKeyId`,
      },
    },
    paths: ['/backup-archives', '/backup-archives/{name}'],
  },
  {
    kind: 'build',
    key: 'builds',
    adminsOnly: true,
    spec: { ...place, app: 'seen', repository: `${mark}/shop`, branch: mark },
    status: {
      phase: 'Failed',
      failureReason: `the login of the repository, Secret ${mark}, is not there for this project`,
    },
    paths: [],
  },
  {
    kind: 'cloudConnection',
    key: 'cloudConnections',
    adminsOnly: true,
    spec: { project, provider: 'AWS', secretRef: { name: mark }, region: mark },
    paths: [],
  },
  {
    kind: 'platformConfig',
    key: 'platformConfig',
    adminsOnly: true,
    spec: { registry: { repository: mark, credentialRef: { name: mark } }, cloudflareZoneID: mark },
    paths: [],
  },
]

describe('redaction', () => {
  let api: TestApi
  let client: ClusterClient
  let atFirst: Kept
  const names = new Map<Row, string>()
  let open: Record<string, Asked>
  let closed: Record<string, Asked>

  before(async function () {
    this.timeout(60_000)
    ;({ client } = await useStack())
    api = await startTestApi()
    atFirst = await keptNow(client)
    for (const row of rows) names.set(row, await make(row))
    for (const [row, name] of names) {
      await eventually(`${name} is seen`, async () =>
        (await bootstrapOf({ token: await admin() }, row)).some(({ metadata }) => metadata.name === name),
      )
    }
    open = { 'admin session': { cookie: await api.signIn('admin') }, 'admin token': { token: await admin() } }
    closed = {
      'viewer session': { cookie: await api.signIn('viewer') },
      'viewer token': { token: await api.token({ role: 'viewer' }) },
      'observer token': { token: await api.token({ role: 'observer' }) },
    }
  })
  after(async () => {
    await api.stop()
    await removeSince(client, atFirst)
  })

  let adminToken: Promise<string> | undefined
  const admin = () => (adminToken ??= api.token({ role: 'admin' }))

  async function make({ kind, spec, status }: Row): Promise<string> {
    const name =
      kind === 'project'
        ? project
        : kind === 'platformConfig'
          ? 'platform'
          : `${kind.toLowerCase()}-${randomBytes(3).toString('hex')}`
    const type = resourceTypes[kind]
    const metadata = {
      name,
      namespace: systemNamespace,
      annotations: { [annotations.lastDeployed]: JSON.stringify(spec) },
    }
    // The platform has one record, which any process on this cluster may have made by now.
    if (kind === 'platformConfig') await client.delete({ type, namespace: systemNamespace, name }, {})
    // The status of the service shows the build, too.
    const app = rows.find((row) => row.kind === 'app')
    const ofApp = kind === 'build' ? { app: app && names.get(app) } : {}
    await client.create(type, { apiVersion, kind: type.kind, metadata, spec: { ...spec, ...ofApp } } as KubeObject)
    await client.patch(
      { type, namespace: systemNamespace, name },
      { status: { ...said(kind), ...status } },
      { subresource: 'status' },
    )
    return name
  }

  async function bootstrapOf(asked: Asked, { key }: Row): Promise<{ metadata: { name: string } }[]> {
    return (await api.ask('GET', '/api/bootstrap', asked)).body[key].items ?? []
  }

  for (const row of rows) {
    it(`of a ${row.kind}: admins see it whole, viewers and observers nothing telling`, async () => {
      const name = names.get(row) ?? ''
      for (const [who, asked] of Object.entries(open)) {
        const texts = [JSON.stringify((await bootstrapOf(asked, row)).filter(({ metadata }) => metadata.name === name))]
        for (const path of row.paths.filter((each) => each.endsWith('{name}')))
          texts.push((await read(path, name, asked)).text)
        for (const text of texts) expect(text, who).to.include(mark)
      }
      for (const [who, asked] of Object.entries(closed)) {
        const seen = (await bootstrapOf(asked, row)).map((item) => JSON.stringify(item))
        expect(
          seen.some((item) => item.includes(`"${name}"`)),
          `${who} in bootstrap`,
        ).to.equal(row.adminsOnly !== true)
        for (const item of seen) expect(item.toLowerCase(), `${who} in bootstrap`).not.to.include(mark)
        for (const path of row.paths) {
          // Observers read variables and logs, and why a container does not start.
          if (who === 'observer token' && path === '/apps/{name}/status') continue
          const answer = await read(path, name, asked)
          expect(answer.status, `${who} ${path}`).to.equal(200)
          expect(answer.text, `${who} ${path}`).to.include(name)
          expect(answer.text.toLowerCase(), `${who} ${path}`).not.to.include(mark)
        }
      }
    })
  }

  it('does not hide from a project token what it may change', async () => {
    const token = await api.token({ scope: 'project', ...place })
    const row = rows.find(({ kind }) => kind === 'app')
    expect((await read('/apps/{name}', (row && names.get(row)) ?? '', { token })).body.spec.configData).to.deep.equal({
      [mark.toUpperCase()]: mark,
    })
  })

  const read = (path: string, name: string, asked: Asked) =>
    api.ask('GET', `/api/v1${path.replace('{name}', name)}`, asked)
})
