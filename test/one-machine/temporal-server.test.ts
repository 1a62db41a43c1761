/** The Temporal server of one machine: its settings, and that its state lasts. */
import { Client, Connection } from '@temporalio/client'
import { expect } from 'chai'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../one-machine/processes/ports.ts'
import {
  ensureNamespace,
  startTemporal,
  temporalNamespace,
  type TemporalServer,
} from '../../one-machine/temporal-server.ts'

const secondsPerDay = 86_400
/** The state LISTEN, and 127.0.0.1, ::1 and 127.0.0.1 as an IPv6 address, in the notation of /proc/net. */
const listening = '0A'
const loopback = ['0100007F', '00000000000000000000000001000000', '0000000000000000FFFF00000100007F']

describe('the Temporal server', function () {
  this.timeout(60_000)
  let dataDir: string
  let server: TemporalServer
  let connection: Connection

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'svc-temporal-'))
    server = await startTemporal({ dataDir })
    connection = await Connection.connect({ address: server.address })
  })
  after(async () => {
    await connection.close()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('has the namespace svc and keeps ended workflows for seven days', async () => {
    const { config } = await connection.workflowService.describeNamespace({ namespace: temporalNamespace })
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).to.equal(7 * secondsPerDay)
  })

  it('knows the search attributes of svc', async () => {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: temporalNamespace })
    expect(Object.keys(customAttributes ?? {})).to.include.members(['SvcKind', 'SvcProject', 'SvcAttempt', 'SvcActor'])
  })

  it('listens on loopback only', function () {
    if (process.platform !== 'linux') this.skip() // it is read from the kernel's tables
    const fds = `/proc/${server.pid()}/fd`
    const own = new Set(readdirSync(fds).map((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(join(fds, fd)))?.[1]))
    const rows = ['tcp', 'tcp6']
      .flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n'))
      .map((line) => line.trim().split(/\s+/))
    const addresses = rows.filter((row) => row[3] === listening && own.has(row[9])).map((row) => row[1]?.split(':')[0])
    expect(addresses).to.not.have.length(0)
    expect(loopback).to.include.members(addresses)
  })

  it('keeps a workflow after it was killed', async () => {
    const client = new Client({ connection, namespace: temporalNamespace })
    await client.workflow.start('waits', { taskQueue: 'nobody', workflowId: 'remembered' })
    server.kill('SIGKILL')
    await server.restart()
    const { status } = await client.workflow.getHandle('remembered').describe()
    expect(status.name).to.equal('RUNNING')
  })
})

describe('a start of the Temporal server', function () {
  this.timeout(60_000)

  it('goes on where a kill of the last one cut the file of its ports short', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-temporal-'))
    try {
      writeFileSync(join(dataDir, 'ports.json'), '{"frontend":17')
      await (await startTemporal({ dataDir })).stop()
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})

describe('a Temporal server of the user', function () {
  this.timeout(60_000)

  it('gets the namespace svc needs, once', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-temporal-'))
    const server = await startTemporal({ dataDir })
    try {
      await ensureNamespace(server.address, 'another')
      await ensureNamespace(server.address, 'another')
      const connection = await Connection.connect({ address: server.address })
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'another' })
      await connection.close()
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).to.equal(7 * secondsPerDay)
    } finally {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })

  it('is named in one sentence when it does not answer', async () => {
    const address = `127.0.0.1:${await freePort()}`
    const error = await ensureNamespace(address).catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal(`Temporal at ${address} does not answer`)
  })
})
