/** What the containers of a build do that start beside the clone, until it has ended: run by a shell. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { creatorScript, prepareBuildpacks } from '../../../kinds/builds/buildpacks.ts'
import { buildScript, cloneScript } from '../../../kinds/builds/scripts.ts'
import { cloneKilled, notClonedCode } from '../../../kinds/builds/wait-for-clone.ts'
import { eventually } from '../../cluster/eventually.ts'

const scripts = { BuildKit: buildScript, buildpacks: creatorScript } as const

describe('a container that starts beside the clone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-wait-for-clone-'))
  const ends: (() => void)[] = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** @param env changes to the environment, for the clone */
  function start(script: string, place = newPlace(), env: Readonly<Record<string, string>> = {}) {
    const daemon = join(place, 'daemon')
    const program = join(place, 'bin/rootlesskit')
    writeFileSync(program, `#!/bin/sh\n: >${daemon}\nexec sleep 60\n`)
    chmodSync(program, 0o755)
    const said = join(mkdtempSync(join(place, 'container-')), 'said')
    const text = script
      .replaceAll('/dev/termination-log', said)
      .replaceAll('/run/builder', join(place, 'builder'))
      .replaceAll('/run/home', join(place, 'home'))
      .replaceAll('/work/', `${join(place, 'work')}/`)
    const path = `${join(place, 'bin')}:${process.env['PATH'] ?? ''}`
    const child = spawn('sh', ['-c', text], { env: { PATH: path, ...env }, detached: true })
    /** As the kernel does with all that a container started when its first process is killed. */
    const kill = () => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL')
      } catch {
        // it has ended with all that it started
      }
    }
    ends.push(kill)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const ended = new Promise<{ code: number | null; output: string; said: string }>((resolve) =>
      // After the exit, what it wrote last may still be in the pipe.
      child.on('close', (code) => resolve({ code, output, said: existsSync(said) ? readFileSync(said, 'utf8') : '' })),
    )
    return {
      write: (name: string) => writeFileSync(join(place, 'work', name), ''),
      hasDaemon: () => existsSync(daemon),
      end: (signal: NodeJS.Signals) => process.kill(child.pid ?? 0, signal),
      isRunning: () => child.exitCode === null,
      kill,
      ended,
    }
  }

  function newPlace(): string {
    const place = mkdtempSync(join(folder, 'run-'))
    for (const name of ['work', 'bin', 'builder', 'home']) mkdirSync(join(place, name))
    writeFileSync(join(place, 'builder/hidden'), '')
    return place
  }

  /** A clone of a git server that takes the connection and does not answer, once it fetches. */
  async function startClone(place: string) {
    let isAsked = false
    const server = createServer(() => (isAsked = true))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.push(() => server.close())
    const { port } = server.address() as AddressInfo // of a server that listens at a port
    const usual = { BRANCH: 'main', COMMIT: '', CONTEXT: '.', DOCKERFILE: 'Dockerfile', KNOWN_REVISION: '' }
    const clone = start(cloneScript, place, { REPOSITORY: `http://127.0.0.1:${port}/web.git`, ...usual })
    await eventually('it fetches', () => Promise.resolve(isAsked))
    return clone
  }
  const killed = { code: notClonedCode, output: `${cloneKilled}\n`, said: cloneKilled }

  for (const [name, script] of Object.entries(scripts)) {
    it(`ends with its own code and says why when the clone is killed: ${name}`, async () => {
      const place = newPlace()
      const clone = await startClone(place)
      const [run, other] = [start(script, place), start(creatorScript, place)]
      await new Promise((resolve) => setTimeout(resolve, 500)) // each reads the pipe of the clone, or would have ended
      expect([run.isRunning(), other.isRunning()]).to.deep.equal([true, true])
      clone.kill()
      expect([await run.ended, await other.ended]).to.deep.equal([killed, killed])
    })

    it(`does so where the clone was killed before it looked: ${name}`, async () => {
      const place = newPlace()
      const clone = await startClone(place)
      clone.kill()
      await clone.ended
      expect(await start(script, place).ended).to.deep.equal(killed)
    })

    it(`ends without output and with its own code when the clone has failed: ${name}`, async () => {
      const run = start(script)
      run.write('not-cloned')
      expect(await run.ended).to.deep.equal({ code: notClonedCode, output: '', said: '' })
    })

    it(`ends on SIGTERM while it waits: ${name}`, async () => {
      const place = newPlace()
      await startClone(place)
      const run = start(script, place)
      await new Promise((resolve) => setTimeout(resolve, 300)) // the trap is set at the start of the script
      run.end('SIGTERM')
      const { code, said } = await run.ended
      expect([code, said]).to.deep.equal([143, ''])
    })
  }

  it('has the daemon of BuildKit started before the clone has ended, and ends with it where nothing is to build', async () => {
    const run = start(buildScript)
    await eventually('the daemon runs', () => Promise.resolve(run.hasDaemon()))
    expect(run.isRunning()).to.equal(true)
    run.write('unchanged')
    run.write('cloned')
    expect(await run.ended).to.deep.equal({ code: 0, output: '', said: '{}' })
  })

  it('ends with a builder that was killed before it has opened the log of the buildpacks', async () => {
    const place = newPlace()
    const builder = start(buildScript, place)
    await eventually('the builder waits', () => Promise.resolve(builder.hasDaemon()))
    const run = start(creatorScript, place)
    builder.kill()
    execFileSync('sh', ['-c', prepareBuildpacks.replaceAll('/work/', `${join(place, 'work')}/`)], {
      env: { PATH: process.env['PATH'], BUILDPACKS: 'example.com/builder' },
    })
    run.write('cloned')
    expect(await run.ended).to.deep.equal({ code: 143, output: '', said: '' })
  })

  it('leaves the work to BuildKit where the clone names no buildpacks', async () => {
    const run = start(creatorScript)
    run.write('cloned')
    expect(await run.ended).to.deep.equal({ code: 0, output: '', said: '' })
  })
})
