/** Ports on loopback: free ones, and the process that holds a taken one. */
import { expect } from 'chai'
import { spawn, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPortOwner, freePort, isPortFree } from '../../one-machine/processes/ports.ts'
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
    expect(new Set(ports).size).to.be.greaterThan(15)
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
