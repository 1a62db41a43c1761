/**
 * The resync at its full size: a part that hangs or fails ends at its time limit, and every other part has its turn.
 */
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WorkflowFailedError } from '@temporalio/client'
import { expect } from 'chai'
import { writeConnectionSecret } from '../../activities/kube/connection-secret.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { policyWith } from '../../durable/policy.ts'
import { controlQueue } from '../../durable/queues.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { useStack } from '../harness/stack.ts'
import { useClient } from '../harness/temporal-client.ts'
import { startTestWorker, testPolicy, type TestWorker, withoutWorker } from '../harness/worker.ts'

const services = Number(process.env['SVC_TEST_SERVICES'] ?? 10_000)
const silentServers = 50
/** Long enough for a page of services on a busy machine; a hanging call takes twice as long. */
const partMs = 12_000
const dueName = (index: number): string => `app-${String(index).padStart(6, '0')}`

describe('the comparison of all records', function () {
  this.timeout(240_000)
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  let folder: string
  let file: string
  let worker: TestWorker

  before(async () => {
    await withoutWorker()
    const { client } = await useStack()
    folder = await mkdtemp(join(tmpdir(), 'svc-resync-'))
    file = join(folder, 'woken')
    for (let index = 0; index < silentServers; index += 1) {
      const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)))
      await once(server.listen(0, '127.0.0.1'), 'listening')
      servers.push(server)
    }
    const ports = servers.map((server) => (server.address() as AddressInfo).port)
    const password = { name: 'resync-password', namespace: systemNamespace, labels: { [labels.project]: '' } }
    await client.create(coreTypes.secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: password,
      stringData: { password: 'resync' },
    } as never) // a Secret as kubectl makes it
    await Promise.all(
      ports.map((port) =>
        writeConnectionSecret(
          client,
          {
            metadata: { name: `silent-${port}`, namespace: systemNamespace, uid: `uid-of-silent-${port}` },
            spec: { project: '', environment: '' },
          },
          { host: '127.0.0.1', port: String(port), database: 'postgres', username: 'svc', password: 'resync' },
        ),
      ),
    )
    worker = await startTestWorker({}, 'test/workflows/resync-worker.ts', {
      SVC_TEST_SERVICES: String(services),
      SVC_TEST_SERVERS: ports.join(),
      SVC_TEST_WOKEN: file,
      SVC_TEST_HANGS_AT: dueName(services / 2),
    })
  })
  after(async () => {
    await worker.stop('SIGKILL')
    const { client } = await useStack()
    for (const socket of sockets) socket.destroy()
    for (const server of servers) {
      const { port } = server.address() as AddressInfo
      await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: `silent-${port}-connection` })
      server.close()
    }
    await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: 'resync-password' })
    await rm(folder, { recursive: true })
  })

  /** Resolves with the failure of the run and the number of runs. */
  const compare = async (id: string, policy: object): Promise<{ failure: string; runs: number; details: string }> => {
    await writeFile(file, '')
    const { workflow } = await useClient()
    const args = [{ policy: policyWith({ ...testPolicy, resyncPartMs: partMs, ...policy }) }]
    const handle = await workflow.start('resync', { taskQueue: controlQueue, workflowId: id, args })
    const failure = await handle.result().then(
      () => '',
      (error: unknown) =>
        error instanceof WorkflowFailedError && error.cause instanceof Error ? error.cause.message : String(error),
    )
    let runs = 0
    for await (const _run of workflow.list({ query: `WorkflowId = "${id}"` })) runs += 1
    const metadata = await workflow.getHandle(id).query<{ currentDetails?: string }>('__temporal_workflow_metadata')
    return { failure, runs, details: metadata.currentDetails ?? '' }
  }
  const woken = async () => (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  const everyDue = Array.from({ length: services / 2 }, (_, index) => `app ${dueName(2 * index)}`)

  it('gives every part its turn, wakes each service that is due once, and says what did not work', async () => {
    const { failure, details } = await compare('resync-at-full-size', {})
    expect((await woken()).toSorted()).to.deep.equal(everyDue)
    expect(failure.split('; ').map((line) => line.split(':')[0])).to.deep.equal(['object server', 'history of deploys'])
    expect(failure).to.contain('no right to do so')
    expect(rowOf(details, 'services')).to.deep.include({ looked: services, state: 'done' })
    const states = details.split('\n').slice(2)
    expect(
      states.filter((line) => line.endsWith('| done |')),
      details,
    ).to.have.length(states.length - 2)
  })

  it('goes on as a new run where it was', async () => {
    const { failure, runs, details } = await compare('resync-in-short-runs', {
      historyEvents: 40,
      resyncPage: Math.ceil(services / 10),
    })
    expect(rowOf(details, 'services')).to.deep.include({ looked: services, state: 'done' })
    expect(failure.split('; ').map((line) => line.split(':')[0])).to.deep.equal(['object server', 'history of deploys'])
    expect(runs).to.be.above(1)
    expect(await woken(), 'what is open is not woken').to.deep.equal([])
  })
})

/** The progress of a part, from the table in the run's details. */
function rowOf(details: string, name: string): { looked: number; acted: number; state: string } {
  const [, , looked = '', acted = '', state = ''] = (
    details.split('\n').find((line) => line.startsWith(`| ${name} |`)) ?? details
  )
    .split('|')
    .map((cell) => cell.trim())
  return { looked: Number(looked), acted: Number(acted), state }
}
