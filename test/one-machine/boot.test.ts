/** boot.mjs in a project of the test, with an npm that only records its calls. */
import { expect } from 'chai'
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { identify } from '../../one-machine/processes/identity.ts'
import { eventually, temporaryFolder } from './temporary.ts'

const boot = fileURLToPath(new URL('../../one-machine/boot.mjs', import.meta.url))
/** Takes a while, so that two boots overlap; then there is a Node in node_modules. */
const npm = `
const { appendFileSync, mkdirSync, symlinkSync, existsSync } = require('node:fs')
appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n')
if (existsSync('npm-fails')) process.exit(1)
if (existsSync('npm-hangs')) {
  require('node:fs').writeFileSync('npm-hangs', String(process.pid))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
mkdirSync('node_modules/.bin', { recursive: true })
if (!existsSync('npm-skips-node') && !existsSync('node_modules/.bin/node')) symlinkSync(process.execPath, 'node_modules/.bin/node')
`

describe('boot.mjs', () => {
  const folder = temporaryFolder()
  const inside = (name: string): string => join(folder(), name)
  const npmCalls = (): number =>
    existsSync(inside('npm-calls')) ? readFileSync(inside('npm-calls'), 'utf8').trim().split('\n').length : 0
  const command = (): [string[], { cwd: string; env: NodeJS.ProcessEnv; encoding: 'utf8' }] => [
    [inside('one-machine/boot.mjs'), inside('script.ts')],
    { cwd: folder(), env: { PATH: process.env['PATH'], npm_execpath: inside('npm.cjs') }, encoding: 'utf8' },
  ]
  const run = (...args: string[]) => spawnSync(process.execPath, [...command()[0], ...args], command()[1])
  const begin = () => {
    const child = spawn(process.execPath, command()[0], command()[1])
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)))
    const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, output })),
    )
    return { child, ended, output: () => output }
  }

  beforeEach(() => {
    mkdirSync(inside('one-machine'))
    copyFileSync(boot, inside('one-machine/boot.mjs'))
    writeFileSync(inside('npm.cjs'), npm)
    writeFileSync(inside('package-lock.json'), '{}')
    writeFileSync(
      inside('script.ts'),
      'const code: number = Number(process.argv[2]); console.log(`ran ${code}`); process.exitCode = code',
    )
  })

  it('installs the packages, runs the script and passes its exit code on', () => {
    const { status, stdout, stderr } = run('7')
    expect([status, stdout]).to.deep.equal([7, 'ran 7\n'])
    expect(stderr).to.contain('installing the npm packages')
  })

  it('installs only once, and says nothing then', () => {
    run('0')
    const { stdout, stderr } = run('0')
    expect([stdout, stderr, npmCalls()]).to.deep.equal(['ran 0\n', '', 1])
  })

  it('installs again when the lock file changed or node_modules is gone', () => {
    run('0')
    writeFileSync(inside('package-lock.json'), '{"changed": true}')
    run('0')
    expect(npmCalls()).to.equal(2)
    rmSync(inside('node_modules'), { recursive: true })
    run('0')
    expect(npmCalls()).to.equal(3)
  })

  it('installs once for two boots at once, and the second one says what it waits for', async () => {
    const both = [begin(), begin()]
    const ends = await Promise.all(both.map(({ ended }) => ended))
    expect(npmCalls()).to.equal(1)
    expect(
      ends.filter(({ output }) => /process \d+ is installing the npm packages; waiting for it/.test(output)),
    ).to.have.length(1)
  })

  it('takes over the lock of a boot that was killed', () => {
    mkdirSync(inside('.svc'))
    writeFileSync(inside('.svc/install.lock'), String(spawnSync('true').pid))
    expect(run('0').stdout).to.equal('ran 0\n')
    expect(existsSync(inside('.svc/install.lock'))).to.equal(false)
  })

  it('tries again after an install that failed', () => {
    writeFileSync(inside('npm-fails'), '')
    const failed = run('0')
    expect(failed.status).to.equal(1)
    expect(failed.stderr).to.contain('npm could not install the packages')
    rmSync(inside('npm-fails'))
    expect(run('0').stdout).to.equal('ran 0\n')
  })

  it('does without the Node of the packages when the one that runs it is new enough', () => {
    writeFileSync(inside('npm-skips-node'), '')
    expect(run('0').stdout).to.equal('ran 0\n')
  })

  /** Reports by files that it runs and which signals reached it; runs until one does. */
  const patientScript = `
    import { appendFileSync, writeFileSync } from 'node:fs'
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => { appendFileSync('stopped', signal); process.exit(5) })
    writeFileSync('up', String(process.pid)); setInterval(() => {}, 1000)`
  const untilUp = async (): Promise<void> => {
    await eventually(() => existsSync(inside('up')) && readFileSync(inside('up'), 'utf8') !== '', 15_000)
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    it(`passes ${signal} on`, async () => {
      run('0')
      writeFileSync(inside('script.ts'), patientScript)
      const { child, ended } = begin()
      await untilUp()
      child.kill(signal)
      expect((await ended).code).to.equal(5)
      expect(readFileSync(inside('stopped'), 'utf8')).to.equal(signal)
    })

    it(`ends npm, and itself, by ${signal} while packages are installed`, async () => {
      writeFileSync(inside('npm-hangs'), '')
      const { child, ended } = begin()
      await eventually(() => readFileSync(inside('npm-hangs'), 'utf8') !== '', 15_000)
      const npmPid = Number(readFileSync(inside('npm-hangs'), 'utf8'))
      child.kill(signal)
      expect((await ended).code).to.equal(128 + constants.signals[signal])
      expect(identify(npmPid)).to.equal(undefined)
      expect(existsSync(inside('.svc/install.lock'))).to.equal(false)
    })
  }

  it('has the script stopped when it is killed itself', async function () {
    if (process.platform !== 'linux') this.skip() // other systems do not notify the script
    run('0')
    writeFileSync(inside('script.ts'), patientScript)
    const { child } = begin()
    await untilUp()
    child.kill('SIGKILL')
    await eventually(() => existsSync(inside('stopped')))
  })

  /** As npm does: a process starts a shell, which starts boot.mjs without replacing itself by it. */
  const beginUnderNpm = () => {
    const [args, options] = command()
    const shellArgs = JSON.stringify(['-c', `"${process.execPath}" ${args.join(' ')}; true`])
    writeFileSync(
      inside('above.cjs'),
      `const shell = require('node:child_process').spawn('sh', ${shellArgs}, { stdio: 'ignore' })
      require('node:fs').writeFileSync('shell', String(shell.pid)); setInterval(() => {}, 1000)`,
    )
    return spawn(process.execPath, [inside('above.cjs')], {
      ...options,
      env: { ...options.env, npm_lifecycle_event: 'start' },
      stdio: 'ignore',
    })
  }

  for (const signal of ['SIGHUP', 'SIGKILL'] as const) {
    it(`stops the script when npm is ended by ${signal}, though the shell below npm stays`, async () => {
      run('0')
      writeFileSync(inside('script.ts'), patientScript)
      const above = beginUnderNpm()
      await untilUp()
      above.kill(signal)
      await eventually(() => existsSync(inside('stopped')))
    })
  }

  it('stops the script when the shell npm started it in is killed', async () => {
    run('0')
    writeFileSync(inside('script.ts'), patientScript)
    const above = beginUnderNpm()
    await untilUp()
    process.kill(Number(readFileSync(inside('shell'), 'utf8')), 'SIGTERM')
    await eventually(() => existsSync(inside('stopped')))
    above.kill('SIGKILL')
  })

  it('ends as the script was ended', async () => {
    run('0')
    writeFileSync(inside('script.ts'), "process.kill(process.pid, 'SIGKILL')")
    expect(run('0').status).to.equal(137)
  })
})
