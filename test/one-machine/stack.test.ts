/** The parts of a stack start in parallel, and each may fail first. */
import { expect } from 'chai'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort, loopback } from '../../one-machine/processes/ports.ts'
import { startStack } from '../../one-machine/stack.ts'
import { eventually, temporaryFolder } from './temporary.ts'

describe('a stack', () => {
  const folder = temporaryFolder()
  let cluster: Server
  afterEach(() => cluster.close())

  it('whose Temporal fails while its cluster still starts rejects with one sentence', async function () {
    this.timeout(20_000)
    const held: (() => void)[] = []
    cluster = createServer((_, response) => held.push(() => response.writeHead(503).end()))
    await new Promise<void>((resolve) => cluster.listen(0, loopback, resolve))
    const { port } = cluster.address() as AddressInfo
    const kubeconfig = join(folder(), 'kubeconfig')
    const named = (kind: string, content: object) => [{ name: 'slow', [kind]: content }]
    const config = {
      clusters: named('cluster', { server: `http://${loopback}:${port}` }),
      users: named('user', {}),
      contexts: named('context', { cluster: 'slow', user: 'slow' }),
    }
    writeFileSync(kubeconfig, JSON.stringify({ ...config, 'current-context': 'slow' }))
    let unhandled = 0
    const count = (): void => void (unhandled += 1)
    const others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', count)
    try {
      const temporal = `${loopback}:${await freePort()}`
      const started = startStack({
        cluster: 'kubeconfig',
        dataDir: folder(),
        kubeconfig,
        temporal,
        takeOver: true,
      }).then(
        () => 'it started',
        (error: unknown) => String(error),
      )
      await eventually(() => held.length > 0)
      await new Promise((resolve) => setTimeout(resolve, 4_000)) // the limit of Temporal's connection is 3 s
      for (const answer of held) answer()
      cluster.on('request', (_, response) => response.writeHead(503).end())
      expect(await started)
        .to.be.a('string')
        .and.not.equal('it started')
      expect(unhandled).to.equal(0)
    } finally {
      process.removeAllListeners('unhandledRejection')
      for (const listener of others) process.on('unhandledRejection', listener)
    }
  })
})
