/** The Temporal server of one machine: its settings, and that its state lasts. */
import { Client, Connection } from '@temporalio/client'
import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTemporal, temporalNamespace, type TemporalServer } from '../../local/temporal-server.ts'

const secondsPerDay = 86_400

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
    if (process.platform !== 'linux') this.skip() // ss is there only
    const listening = execFileSync('ss', ['-ltnpH'], { encoding: 'utf8' }).split('\n').filter(line => line.includes(`pid=${server.pid()},`))
    expect(listening).to.not.have.length(0)
    for (const line of listening) expect(line).to.match(/\s(127\.0\.0\.1|\[::1\]|\[::ffff:127\.0\.0\.1\]):\d+\s/)
  })

  it('remembers a workflow after it was killed', async () => {
    const client = new Client({ connection, namespace: temporalNamespace })
    await client.workflow.start('waits', { taskQueue: 'nobody', workflowId: 'remembered' })
    server.kill('SIGKILL')
    await server.restart()
    const { status } = await client.workflow.getHandle('remembered').describe()
    expect(status.name).to.equal('RUNNING')
  })
})
