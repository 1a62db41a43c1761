/**
 * The sample that uses svc's data services: a guestbook whose visits are rows of a logical database and objects of a
 * bucket, created through the public API.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterClient } from '../../cluster/client.ts'
import { type Demo, environment, findAddress, untilDeployed } from './demo.ts'
import type { RunningNode } from '../node/start.ts'

const server = 'demo-db'
const database = 'demo-visits'
const bucket = 'demo-files'
const service = 'guestbook'
const image = 'svc/guestbook:1'
/** Their images may have to be made first. */
const readyWithinMs = 600_000
const lookEveryMs = 1_000

export interface GuestbookOptions {
  readonly demo: Demo
  readonly node: Pick<RunningNode, 'engineImages' | 'pushGuestbook'>
  readonly cluster: ClusterClient
  readonly report: (line: string) => void
}

/**
 * Creates a postgres, a logical database on it, a bucket and the service that uses both; returns one line. Rejects with
 * one sentence.
 */
export async function deployGuestbook({ demo, node, cluster, report }: GuestbookOptions): Promise<string> {
  const { client, project } = demo
  const place = { project, environment }
  await node.engineImages.makeWhereNeeded(report, ['postgres', 'minio'])
  await node.pushGuestbook()
  await client.call('object-stores.create', { engine: 'Local', placement: 'InCluster' })
  await client.call('databases.create', {
    ...place,
    name: server,
    engine: 'postgres',
    storageSize: '1Gi',
    deploy: true,
  })
  await client.call('logical-databases.create', { ...place, name: database, server, database: 'visits' })
  await client.call('object-stores.create', { ...place, name: bucket, engine: 'Local', bucket: 'files', deploy: true })
  await untilReady(server, async () => (await client.call('databases.get', { db: server })).resource)
  await untilReady(
    database,
    async () => (await client.call('logical-databases.get', { logicalDatabase: database })).resource,
  )
  await untilReady(bucket, async () => (await client.call('object-stores.get', { store: bucket })).resource)
  await client.call('apps.create', { ...place, name: service, image, replicas: 1 })
  await client.call('apps.attach', { app: service, name: database, kind: 'database' })
  await client.call('apps.attach', { app: service, name: bucket, kind: 'object-store' })
  await client.call('apps.deploy', { app: service })
  await untilDeployed({ client, app: service, timeoutMs: readyWithinMs }, 'the sample with data')
  const address = await findAddress({ client, cluster, project, service })
  return `the service ${service}, with the database ${database} on ${server} and the bucket ${bucket}, is ready${address === undefined ? '' : ` at ${address}`}`
}

async function untilReady(name: string, read: () => Promise<{ state: string; message: string }>): Promise<void> {
  for (const deadline = Date.now() + readyWithinMs; ; await sleep(lookEveryMs)) {
    const { state, message } = await read()
    if (state === 'ready') return
    if (state === 'failed' || Date.now() > deadline)
      throw new Error(`the sample with data is not ready: ${name}: ${message}`)
  }
}
