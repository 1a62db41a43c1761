/**
 * What commands ask of others than the api: a metrics store with samples, a git host with a linked project, functions
 * that answer; and what a worker made of a service, a function and databases before it ended, so that the other
 * records stay as they are while the commands run.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '../../client/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { scheduleId } from '../../durable/ids.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { sharedServerNames } from '../../kinds/logical-databases/shared-servers.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { createScheduleStarts } from '../../temporal/client/schedules.ts'
import { makeConnection } from '../api/data-world.ts'
import { type Exporter, startExporter } from '../api/sample-exporter.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { writeWholeBackup } from '../api/whole-backup.ts'
import { eventually } from '../cluster/eventually.ts'
import { githubApp, startGitHub } from '../harness/github.ts'
import { metricsStoreWithinMs, startMetricsStore } from '../harness/metrics-store.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker } from '../harness/worker.ts'
import { startReceiver } from '../outside/webhooks/receiver.ts'

export const realServersWithinMs = metricsStoreWithinMs

export interface RealServers {
  readonly api: TestApi
  /** What stands for the names in braces. */
  readonly names: Readonly<Record<string, string>>
  stop(): Promise<void>
}

const ran = { app: 'ran', fn: 'ran-fn', db: 'ran-db' } as const
const installation = 71
const readyWithinMs = 60_000

/** A project for each run that takes its link or its tag away. */
const linked = ['linked-a', 'linked-b', 'linked-c'] as const

export async function startRealServers(): Promise<RealServers> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-real-'))
  const [copies, github, port] = await Promise.all([startReceiver(), startGitHub(), freePort()])
  copies.answer((response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('called'))
  github.repositories.set(installation, ['acme/web'])
  const env = {
    SVC_FUNCTION_ENDPOINT: `127.0.0.1:${copies.port}`,
    SVC_GITHUB_URL: github.url,
    SVC_GITHUB_API_URL: github.url,
    SVC_WEBHOOK_PRIVATE: '1',
  }
  const scheduleStarts = createScheduleStarts({ client: await useClient() })
  const api = await startTestApi({ scheduleStarts, env: { ...env, SVC_PROMETHEUS_URL: `http://127.0.0.1:${port}` } })
  const client = createClient({ baseUrl: api.baseUrl, token: await api.token({ role: 'admin' }), userAgent: 'test' })
  const made = await letRun(client, env)
  const metrics = await startMetrics(port, made['ran-project'] ?? '')
  const hasSamples = async () => (await client.call('apps.metrics', { app: ran.app })).series['cpu']?.length !== 0
  await eventually('the samples are in', hasSamples, readyWithinMs)
  const node = await reserveNode(client)
  return {
    api,
    names: {
      ...made,
      receiver: copies.url,
      ...(await writeKept(made['ran-project'] ?? '')),
      ...(await writeBuckets(made['ran-project'] ?? '')),
      ...(await link(client)),
      ...(await writeSecrets(folder)),
    },
    stop: async () => {
      await client.call('nodes.placement', { node })
      const { schedule } = await useClient()
      await schedule.getHandle(scheduleId(ran.fn, 'nightly')).delete()
      await api.stop()
      await Promise.all([...metrics, copies, github].map((server) => server.stop()))
      await rm(folder, { recursive: true })
    },
  }
}

/** Two deploys of a service, a function with a schedule, and databases, all ready by a worker of their own. */
async function letRun(client: Client, env: Record<string, string>): Promise<Record<string, string>> {
  const worker = await startTestWorker({}, 'temporal/main.ts', env)
  try {
    const { project } = await client.call('projects.create', {})
    const place = { project, environment: 'production', deploy: true } as const
    await client.call('apps.create', { ...place, name: ran.app, image: 'svc/hello:1' })
    const functionTriggers = [{ name: 'nightly', schedule: '@yearly' }]
    const code = { source: 'function', runtime: 'node', code: 'export default 1', functionTriggers } as const
    await client.call('apps.create', { ...place, name: ran.fn, ...code })
    const databases = [ran.db, 'ran-db-a', 'ran-db-b', 'ran-db-c']
    for (const name of databases)
      await client.call('databases.create', { ...place, name, engine: 'redis', cpu: '10m', memory: '32Mi' })
    const untilReady = async (name: string, read: () => Promise<string>) =>
      await eventually(`${name} is ready`, async () => (await read()) === 'ready', readyWithinMs)
    const stateOf = async (app: string) => (await client.call('apps.status', { app })).state
    for (const app of [ran.app, ran.fn]) await untilReady(app, () => stateOf(app))
    for (const db of databases)
      await untilReady(db, async () => (await client.call('databases.get', { db })).resource.state)
    await client.call('apps.update', { app: ran.app, image: 'svc/hello:2', deploy: true })
    await untilReady(ran.app, () => stateOf(ran.app))
    const connection = await makeConnection(await useStack(), project, 'AWS')
    await client.call('projects.backup-storage', { project, connection, bucket: 'kept-there', region: 'eu-central-1' })
    const { items } = await client.call('apps.deployments', { app: ran.app })
    const names = Object.fromEntries(databases.map((name) => [name, name]))
    return { ...names, ran: ran.app, 'ran-fn': ran.fn, 'ran-project': project, earlier: items.at(-1)?.id ?? '' }
  } finally {
    await worker.stop()
  }
}

/** Logical databases as a worker leaves them, on the shared server, which an earlier row makes. */
async function writeKept(project: string): Promise<Record<string, string>> {
  const kube = (await useStack()).client
  const names = ['kept-a', 'kept-b', 'kept-c']
  for (const name of names) {
    const database = name.replace('-', '_')
    const spec = { project, environment: 'production', serverRef: sharedServerNames.postgres, databaseName: database }
    const metadata = { name, namespace: systemNamespace }
    await kube.create(resourceTypes.logicalDatabase, {
      apiVersion,
      kind: 'SvcLogicalDatabase',
      metadata,
      spec,
    } as KubeObject)
    const status = { connectionSecret: connectionSecretName(name), database, username: database }
    await kube.patch({ type: resourceTypes.logicalDatabase, ...metadata }, { status }, { subresource: 'status' })
  }
  return Object.fromEntries(names.map((name) => [name, name]))
}

/** Buckets as a worker leaves them, on an object server that an earlier row makes. */
async function writeBuckets(project: string): Promise<Record<string, string>> {
  const kube = (await useStack()).client
  const names = ['kept-store-a', 'kept-store-b', 'kept-store-c']
  for (const name of names) {
    const metadata = { name, namespace: systemNamespace }
    const spec = { project, environment: 'production', engine: 'Local', buckets: [name], deploy: { enabled: true } }
    await kube.create(resourceTypes.objectStore, { apiVersion, kind: 'SvcObjectStore', metadata, spec } as KubeObject)
    const status = { connectionSecret: connectionSecretName(name) }
    await kube.patch({ type: resourceTypes.objectStore, ...metadata }, { status }, { subresource: 'status' })
  }
  const of = { databaseKind: 'ObjectStore', database: 'media', buckets: ['media'], engine: 'bucket' }
  const archive = await writeWholeBackup(kube, { project, ...of })
  return { ...Object.fromEntries(names.map((name) => [name, name])), 'bucket-archive': archive }
}

async function startMetrics(port: number, project: string): Promise<(Exporter | { stop(): Promise<void> })[]> {
  const labels = { namespace: `${project}-production`, pod: `${ran.app}-7d4f9c6b5d-abcde`, container: 'app' }
  const exporter = await startExporter([
    { name: 'container_cpu_usage_seconds_total', labels, perSecond: 0.2 },
    { name: 'container_memory_working_set_bytes', labels, value: 64 * 1024 * 1024 },
  ])
  return [await startMetricsStore({ port, exporter }), exporter]
}

/** The node that the rows of `nodes` leave alone, for a tag that a project requires. */
async function reserveNode(client: Client): Promise<string> {
  const { items } = await (await useStack()).client.list(coreTypes.node)
  const node = items.at(-1)?.metadata.name ?? ''
  await client.call('nodes.placement', { node, reserved: ['pci'] })
  return node
}

/** Projects whose environment is linked to the git host, as its callback writes it. */
async function link(client: Client): Promise<Record<string, string>> {
  await client.call('settings.githost-save', githubApp)
  const kube = (await useStack()).client
  const names: Record<string, string> = {}
  for (const name of linked) {
    const { project } = await client.call('projects.create', {})
    const ref = { type: resourceTypes.project, namespace: systemNamespace, name: project }
    await kube.patch(ref, { spec: { gitHosts: [{ environment: 'production', installation, account: 'acme' }] } })
    names[name] = project
  }
  return names
}

async function writeSecrets(folder: string): Promise<Record<string, string>> {
  const [key, word] = [join(folder, 'key.pem'), join(folder, 'word')]
  await writeFile(key, githubApp.privateKey)
  await writeFile(word, githubApp.webhookSecret)
  return { 'key-file': key, 'word-file': word }
}
