/**
 * Schemathesis writes custom resources with an account that may write nothing else: whatever the definitions accept,
 * the api answers every read and the worker continues with other records.
 */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { group, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { readDefinitions } from '../../one-machine/index.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { useWorker, withoutWorker } from '../harness/worker.ts'
import { keptNow, removeSince, type Kept } from '../property/kept.ts'
import { callAll } from './call.ts'
import { pythonWithSchemathesis } from './install.ts'

const seed = Number(process.env['SVC_TEST_SEED'] ?? 20_261_122)
const times = Number(process.env['SVC_TEST_RUNS'] ?? 1)
const writer = 'record-writer'
const rbac = (kind: string, plural: string): ResourceType => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
})

interface Definition extends KubeObject {
  spec: {
    names: { kind: string; plural: string }
    versions: [{ schema: { openAPIV3Schema: { properties: { spec: object } } } }]
  }
}

/** For fields with an address that svc may connect to, so that no request leaves the machine. */
const nearby = { enum: ['127.0.0.1', 'localhost', 'http://127.0.0.1:9', 'no host at all', ''] }
const namesHost = /(host|hosts|url|domain|endpoint)$/i

/** A structural schema without the keywords that are specific to Kubernetes. */
const plain = (schema: object): object =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if (key.startsWith('x-kubernetes-')) return undefined
      const isText = typeof value === 'object' && value !== null && 'type' in value && value.type === 'string'
      return isText && namesHost.test(key) ? nearby : value
    }),
  ) as object // the module's own JSON

/** Nonsense text, or JSON of the wrong shape, in every annotation that svc reads. */
const notes = Object.fromEntries(
  Object.values(annotations).map((name) => [
    name,
    {
      anyOf: [
        { type: 'string', maxLength: 200 },
        { enum: ['{', '[]', 'null', '{"record":1}', '{"id":"a","at":"never"}', 'created,,settings'] },
      ],
    },
  ]),
)

/** One POST per kind, with the definition's own schema of the spec. */
function documentOf(definitions: readonly Definition[]): object {
  const paths = definitions.map(({ spec: { names, versions } }) => {
    const metadata = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', pattern: names.kind === 'SvcProject' ? '^proj-[0-9a-f]{8}$' : '^fuzzed-[a-z0-9]{8}$' },
        annotations: { type: 'object', properties: notes, additionalProperties: false },
      },
      additionalProperties: false,
    }
    const properties = {
      apiVersion: { enum: [`${group}/v1alpha1`] },
      kind: { enum: [names.kind] },
      metadata,
      spec: plain(versions[0].schema.openAPIV3Schema.properties.spec),
    }
    const schema = { type: 'object', required: Object.keys(properties), properties, additionalProperties: false }
    const requestBody = { required: true, content: { 'application/json': { schema } } }
    const path = `/apis/${group}/v1alpha1/namespaces/${systemNamespace}/${names.plural}`
    return [path, { post: { requestBody, responses: { default: { description: 'whatever the cluster answers' } } } }]
  })
  return { openapi: '3.0.3', info: { title: 'custom resources', version: '1' }, paths: Object.fromEntries(paths) }
}

/** The token of an account that may write svc's records and nothing else. */
async function writerToken(client: ClusterClient): Promise<string> {
  const metadata = { name: writer, namespace: systemNamespace }
  const rules = [{ apiGroups: [group], resources: ['*'], verbs: ['*'] }]
  const subjects = [{ kind: 'ServiceAccount', name: writer, namespace: systemNamespace }]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: writer }
  const manager = 'test'
  await client.apply(coreTypes.serviceAccount, { metadata }, { manager })
  await client.apply(rbac('Role', 'roles'), { metadata, rules }, { manager })
  await client.apply(rbac('RoleBinding', 'rolebindings'), { metadata, subjects, roleRef }, { manager })
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } }
  const path = `/api/v1/namespaces/${systemNamespace}/serviceaccounts/${writer}/token`
  const answer = await client.raw('POST', path, { body, contentType: 'application/json' })
  return z.object({ status: z.object({ token: z.string() }) }).parse(JSON.parse(answer)).status.token
}

const kubeconfig = z.object({
  clusters: z.array(z.object({ cluster: z.object({ server: z.string(), 'certificate-authority': z.string() }) })),
})

describe(`Schemathesis with write access to custom resources (seed ${seed})`, function () {
  this.timeout(times * 600_000)
  let api: TestApi
  let client: ClusterClient
  let records: TestRecords
  let atFirst: Kept

  before(async () => {
    ;({ client } = await useStack())
    records = await useRecords()
    await useWorker()
    api = await startTestApi()
    atFirst = await keptNow(client)
  })
  after(async () => {
    await withoutWorker()
    await api.stop()
    await removeNamespaces(client, atFirst)
    await removeSince(client, atFirst)
    for (const type of [rbac('RoleBinding', 'rolebindings'), rbac('Role', 'roles'), coreTypes.serviceAccount]) {
      await client.delete({ type, namespace: systemNamespace, name: writer })
    }
  })

  it('finds no record that stops the api or the worker', async () => {
    const stack = await useStack()
    const { cluster } = kubeconfig.parse(parse(readFileSync(stack.kubeconfig, 'utf8'))).clusters[0] ?? {}
    if (cluster === undefined) throw new Error('the kubeconfig names no cluster')
    const secretsBefore = await secretsOf(client)
    const { passed, said, cases } = await callAll({
      python: await pythonWithSchemathesis(),
      url: cluster.server,
      certificateAuthority: cluster['certificate-authority'],
      checks: ['not_a_server_error'],
      document: documentOf(readDefinitions() as Definition[]), // as generated from kinds/
      headers: { Authorization: `Bearer ${await writerToken(client)}` },
      seed,
      known: [],
      phases: ['fuzzing'],
      examples: 15 * times,
    })
    if (!passed) throw new Error(said)
    expect(cases, said).to.be.above(100)

    const made = [...(await keptNow(client)).keys()].filter((key) => !atFirst.has(key) && key.startsWith('svc'))
    expect(made.length, 'records that the definitions let through').to.be.above(10)
    await everyReadAnswers(api, made)
    const secretsAfter = await secretsOf(client)
    for (const [name, version] of secretsBefore) expect(secretsAfter.get(name), `Secret ${name}`).to.equal(version)

    const project = await createProject(records)
    await until(records.projects, project, (record) => readyOf(record?.status?.conditions)?.status === 'True', 'ready')
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    await until(records.projects, project, (record) => record === undefined, 'gone')
  })
})

/** Removes the environments that the worker made for projects of this test. */
async function removeNamespaces(client: ClusterClient, atFirst: Kept): Promise<void> {
  const { items } = await client.list(coreTypes.namespace, { labelSelector: labels.project, metadataOnly: true })
  const before = (name = ''): boolean => atFirst.has(`${resourceTypes.project.plural}/${name}`)
  const mine = items.filter(({ metadata }) => !before(metadata.labels?.[labels.project]))
  await Promise.all(mine.map(({ metadata: { name } }) => client.delete({ type: coreTypes.namespace, name })))
}

/** The Secrets of svc-system with their versions: an account that only writes records must change none of them. */
async function secretsOf(client: ClusterClient): Promise<Map<string, string>> {
  const { items } = await client.list(coreTypes.secret, { namespace: systemNamespace, metadataOnly: true })
  const steady = items.filter(({ metadata }) => !metadata.name.startsWith('svc-token-'))
  return new Map(steady.map(({ metadata }) => [metadata.name, metadata.resourceVersion ?? '']))
}

const lists = [
  '/projects',
  '/apps',
  '/databases',
  '/logical-databases',
  '/object-stores',
  '/usage',
  '/bootstrap',
] as const
const pages: Readonly<Record<string, readonly string[]>> = {
  [resourceTypes.project.plural]: ['/projects/NAME', '/projects/NAME/compliance'],
  [resourceTypes.app.plural]: [
    '/apps/NAME',
    '/apps/NAME/status',
    '/apps/NAME/deployments',
    '/apps/NAME/variables',
    '/apps/NAME/runtime',
  ],
  [resourceTypes.database.plural]: ['/databases/NAME'],
  [resourceTypes.logicalDatabase.plural]: ['/logical-databases/NAME'],
  [resourceTypes.objectStore.plural]: ['/object-stores/NAME'],
}

async function everyReadAnswers(api: TestApi, made: readonly string[]): Promise<void> {
  const token = await api.token({ name: 'reader', role: 'admin' })
  const paths = made.flatMap((key) => {
    const [plural = '', name = ''] = key.split('/')
    return (pages[plural] ?? []).map((page) => page.replace('NAME', name))
  })
  const refused: string[] = []
  for (const path of [...lists, ...paths]) {
    const { status, text } = await api.ask('GET', path === '/bootstrap' ? '/api/bootstrap' : `/api/v1${path}`, {
      token,
    })
    if (status !== 200) refused.push(`${path}: ${status} ${text}`)
  }
  expect(refused.join('\n')).to.equal('')
}
