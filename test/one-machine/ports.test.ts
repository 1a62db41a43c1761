/** Ports on loopback: free ones, and the process that holds a taken one. */
import { expect } from 'chai'
import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { keepPorts } from '../../one-machine/processes/kept-port.ts'
import { findPortOwner, freePort, isPortFree, reservePort } from '../../one-machine/processes/ports.ts'
import { eventually, temporaryFolder } from './temporary.ts'

describe('ports', () => {
  const folder = temporaryFolder()
  let holder: ChildProcess | undefined
  afterEach(() => holder?.kill('SIGKILL'))

  it('gives the preferred port while it is free', async () => {
    const port = await freePort()
    expect(await freePort(port)).to.equal(port)
  })

  it('gives none that the system gives to outgoing connections, which may have it before it is listened on', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()))
    for (const port of ports) expect(port).to.be.within(15_000, 29_999)
    expect(new Set(ports).size, 'none twice, as long as nothing may listen on it yet').to.equal(20)
  })

  it('gives those of its share alone where runs of tests are side by side', async () => {
    const before = process.env['SVC_TEST_PORTS']
    const portsOf = async (share: string) => {
      process.env['SVC_TEST_PORTS'] = share
      return Promise.all(Array.from({ length: 20 }, () => freePort()))
    }
    try {
      const [lower, upper] = [await portsOf('1/2'), await portsOf('2/2')]
      expect(Math.max(...lower)).to.be.lessThan(Math.min(...upper))
    } finally {
      if (before === undefined) delete process.env['SVC_TEST_PORTS']
      else process.env['SVC_TEST_PORTS'] = before
    }
  })

  it('gives none that is reserved for a process that listens on it later', async () => {
    const reserved = randomInt(15_000, 30_000) // not by freePort, which gives none twice for a while
    const share = process.env['SVC_TEST_PORTS']
    process.env['SVC_TEST_PORTS'] = `${reserved - 15_000 + 1}/15000` // this port alone
    try {
      reservePort(reserved)
      expect(await freePort()).to.not.equal(reserved)
    } finally {
      if (share === undefined) delete process.env['SVC_TEST_PORTS']
      else process.env['SVC_TEST_PORTS'] = share
    }
  })

  it('names the program that holds a taken port, and gives another one', async () => {
    const port = await freePort()
    const script = join(folder(), 'holder.mjs')
    writeFileSync(script, `import { createServer } from 'node:net'; createServer().listen(${port}, '127.0.0.1')`)
    holder = spawn(process.execPath, [script])
    await eventually(async () => !(await isPortFree(port)))
    expect(findPortOwner(port)).to.match(new RegExp(`^node .*holder\\.mjs \\(process ${holder.pid}\\)$`))
    expect(await freePort(port)).to.not.equal(port)
  })

  it('knows no owner of a free port', async () => {
    expect(findPortOwner(await freePort())).to.equal(undefined)
  })
})

describe('the kept ports of a server', () => {
  const folder = temporaryFolder()
  const file = () => join(folder(), 'ports.json')
  const keep = (wanted?: { api?: number }) => keepPorts(file(), ['api', 'metrics'], wanted)

  it('are the same at the next start', async () => {
    const first = await keep()
    expect(Object.keys(first)).to.deep.equal(['api', 'metrics'])
    expect(await keep()).to.deep.equal(first)
  })

  it('are others where the file was cut short, has no ports, or lacks one', async () => {
    for (const text of ['{"api":', '', 'null', '{"api":"x","metrics":-1}', '{"api":70000}']) {
      writeFileSync(file(), text)
      const ports = await keep()
      for (const port of Object.values(ports)) expect(port, text).to.be.within(1, 65_535)
      expect(JSON.parse(readFileSync(file(), 'utf8')), text).to.deep.equal(ports)
    }
  })

  it('are those that were asked for, or the start is refused', async () => {
    const api = await freePort()
    expect(await keep({ api })).to.include({ api })
    const server = createServer().listen(api, '127.0.0.1')
    await once(server, 'listening')
    const refused = await keep({ api }).catch((error: Error) => error.message)
    server.close()
    expect(refused).to.equal(`port ${api} is in use`)
  })
})
