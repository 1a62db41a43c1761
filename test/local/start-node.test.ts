/** `npm start` on a real node: the sample is rolled out through the API and answers requests. */
import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canHaveNode } from '../../local/node/can-have.ts'
import { request } from 'undici'
import { freePort, loopback } from '../../local/ports.ts'
import { eventually } from '../cluster/eventually.ts'
import { Start, startWithinMs } from './started.ts'

const can = canHaveNode()

;(can.ok ? describe : describe.skip)('npm start on a real node', function () {
  this.timeout(2 * startWithinMs)
  let dataDir: string
  let running: Start

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'svc-start-node-'))
    running = new Start('--cluster', 'node', '--data', dataDir, '--port', String(await freePort()), '--demo')
    await running.untilServed()
  })
  after(async () => {
    await running.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('prints the address of the sample, which answers', async () => {
    const address = /sample: the service hello of project demo is ready at (\S+)/.exec(running.output)?.[1]
    expect(address, running.output).to.match(/^http:/)
    // Browsers and curl find *.localhost by themselves; here the resolver need not know it.
    const { hostname, host, port } = new URL(address ?? '')
    const reached = hostname.endsWith('.localhost') ? `http://${loopback}:${port}` : address
    const answer = async () => (await request(reached ?? '', { headers: { host } })).body.text()
    await eventually('the sample answers', async () => (await answer()).startsWith('hello from version 1 on hello-'), 15_000)
  })
})
