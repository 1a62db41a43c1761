/**
 * A worker whose clouds are stand-ins: moto for AWS, behind a proxy that injects faults, and a small server for
 * PlanetScale.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createConnection, type NewConnection } from '../../records/cloud-connections/create-connection.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts'
import { type Moto, useMoto } from '../harness/moto.ts'
import { createStore } from '../harness/object-server.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { testPolicy, withoutWorker } from '../harness/worker.ts'
import { useBundle } from '../kill/enumerated.ts'
import { type MortalProcess, startProcess } from '../kill/mortal-process.ts'
import { untilSetUp } from './service-world.ts'

export interface CloudWorld {
  records: TestRecords
  moto: Moto
  proxy: FaultProxy
  /** An AWS connection of the project. */
  connection: string
  project: string
  /** Status and body of PlanetScale's answers. */
  planetScale: { status: number; body: object }
  /** The worker; a test may kill it, `restart` starts another. */
  worker: MortalProcess
  restart(): Promise<void>
  makeProject(): Promise<Project>
  connect(wanted?: Partial<NewConnection>): Promise<CloudConnection>
  /** Creates the record as `kubectl apply` does. */
  store(spec?: object, notes?: Record<string, string>): Promise<ObjectStore>
  /** The histories of a workflow, all events and records of the cluster, and what the worker logged, as one text. */
  everythingWritten(workflowId: string): Promise<string>
  close(): Promise<void>
}

export const unique = (prefix: string): string => `${prefix}-${randomBytes(4).toString('hex')}`

/** @param entry `test/kill/mortal-worker.ts` for a worker that can be armed to die at a write */
export async function openCloudWorld(entry = 'temporal/main.ts'): Promise<CloudWorld> {
  const [records, moto, { kubeconfig, temporalAddress }] = await Promise.all([useRecords(), useMoto(), useStack()])
  const { client, projects, cloudConnections, now } = records
  const proxy = await startFaultProxy(moto.url, 10_000)
  const folder = await mkdtemp(join(tmpdir(), 'svc-clouds-'))
  const planetScale = await startPlanetScale()
  await withoutWorker()
  const start = async (): Promise<MortalProcess> =>
    startProcess({
      entry,
      ready: '"the worker is ready"',
      logFile: join(folder, 'worker.log'),
      env: {
        KUBECONFIG: kubeconfig,
        SVC_TEMPORAL_ADDRESS: temporalAddress,
        SVC_POLICY: JSON.stringify({ ...testPolicy, recheckMs: 300, failingMs: 30_000 }),
        SVC_WORKFLOW_BUNDLE: await useBundle(),
        SVC_IMAGE_DIGESTS: 'off',
        SVC_RELEASES: 'this',
        SVC_AWS_ENDPOINT: proxy.url,
        SVC_AWS_ATTEMPTS: '1',
        SVC_PLANETSCALE_ENDPOINT: planetScale.url,
      },
    })
  const makeProject = async (): Promise<Project> => {
    const project = await createProject(records)
    await untilSetUp(records, project)
    return project
  }
  const world: CloudWorld = {
    records,
    moto,
    proxy,
    planetScale: planetScale.answer,
    connection: unique('account'),
    project: '',
    worker: await start(),
    restart: async () => {
      await world.worker.gone
      world.worker = await start()
    },
    makeProject,
    connect: (wanted = {}) => {
      const { name, project } = { name: world.connection, project: world.project }
      return createConnection(
        { client, projects, cloudConnections, now },
        { name, provider: 'AWS', project, region: '', organization: '', keys: moto.keys, ...wanted },
      )
    },
    store: (spec = {}, notes = {}) =>
      createStore(
        records,
        unique('store'),
        {
          project: world.project,
          environment: 'production',
          engine: 'Remote',
          createBucket: true,
          connectionRef: { name: world.connection },
          buckets: [unique('bucket')],
          ...spec,
        },
        notes,
      ),
    everythingWritten: async (workflowId) => {
      const temporal = connectTemporal(temporalSettings({ SVC_TEMPORAL_ADDRESS: temporalAddress }))
      const histories: string[] = []
      for await (const { runId } of temporal.client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
        const { events } = await temporal.client.workflow.getHandle(workflowId, runId).fetchHistory()
        // Payloads in the events are bytes.
        histories.push(
          JSON.stringify(events, (_, value: unknown) =>
            value instanceof Uint8Array ? Buffer.from(value).toString() : value,
          ),
        )
      }
      await temporal.close()
      if (histories.length === 0) throw new Error(`there is no history of ${workflowId}`)
      const types = [coreTypes.event, resourceTypes.objectStore, resourceTypes.cloudConnection, resourceTypes.project]
      const listed = await Promise.all(
        types.map((type) => client.list<KubeObject>(type, { namespace: systemNamespace })),
      )
      return [...histories, JSON.stringify(listed), await readFile(join(folder, 'worker.log'), 'utf8')].join('\n')
    },
    close: async () => {
      const left = projects.cache.list().filter(({ metadata }) => made.includes(metadata.name))
      for (const { metadata } of left) await projects.remove(metadata.name, metadata.uid ?? '')
      for (const { metadata } of left) await until(projects, { metadata }, (record) => record === undefined, 'gone')
      await world.worker.kill()
      await Promise.all([proxy.stop(), planetScale.stop(), rm(folder, { recursive: true, force: true })])
    },
  }
  world.project = (await makeProject()).metadata.name
  const made = [world.project]
  await world.connect()
  return world
}

async function startPlanetScale() {
  const answer: CloudWorld['planetScale'] = { status: 200, body: { name: 'org' } }
  const server = createServer(
    (_, response) =>
      void response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body)),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  // The address of a TCP server has a port.
  return { answer, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}
