/** The script that builds, run by a shell with a builder that is played: what it writes and what it says at its end. */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { buildScript } from '../../../kinds/builds/scripts.ts'

const digest = 'ab'.repeat(32)
const secret = 'secret/of.the*test'

describe('the script that builds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-build-script-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  /**
   * @param says what the builder writes, and what it ends with
   * @param played the program of the builder, and changes to the environment
   */
  async function run(says: string, exitCode = 0, played: { daemon?: string; env?: NodeJS.ProcessEnv } = {}) {
    const place = mkdtempSync(join(folder, 'run-'))
    const blobs = join(place, 'work/buildkit/runc-overlayfs/content/blobs/sha256')
    for (const each of [blobs, ...['bin', 'work/run', 'builder', 'args', 'secrets'].map((name) => join(place, name))])
      mkdirSync(each, { recursive: true })
    writeFileSync(join(place, 'args/COLOUR'), 'dark "green"\nand blue')
    writeFileSync(join(place, 'secrets/NPM_TOKEN'), secret)
    const layers = [{ size: 1000 }, { size: 2500 }]
    writeFileSync(join(blobs, digest), JSON.stringify({ config: { size: 24 }, layers }, undefined, 2))
    writeFileSync(join(place, 'builder/hidden'), `${secret}\n`)
    for (const [name, text] of Object.entries({
      cloned: '',
      revision: 'c'.repeat(40),
      context: '/src',
      dockerfile: '/src/Dockerfile',
    }))
      writeFileSync(join(place, 'work', name), text)
    writeFileSync(join(place, 'says'), says)
    const result = join(place, 'work/result')
    const programs = {
      rootlesskit: `${played.daemon ?? ''}\nexec sleep 60`,
      buildctl: `case "$*" in *"debug workers"*) exit 0;; esac
for each; do printf '<%s>' "$each" >>${place}/asked; done; cat ${place}/says; echo '{"containerimage.digest": "sha256:${digest}"}' >${result}; exit ${exitCode}`,
    }
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(place, 'bin', name), `#!/bin/sh\n${text}\n`)
      chmodSync(join(place, 'bin', name), 0o755)
    }
    const said = join(place, 'said')
    const script = buildScript
      .replaceAll('/dev/termination-log', said)
      .replaceAll('/run/build-args', join(place, 'args'))
      .replaceAll('/run/build-secrets', join(place, 'secrets'))
      .replaceAll('/run/builder', join(place, 'builder'))
      .replaceAll('/work/', `${join(place, 'work')}/`)
    const env = { PATH: `${join(place, 'bin')}:${process.env['PATH'] ?? ''}`, CACHE: 'off', SERVICE: 'web' }
    const child = spawn('sh', ['-c', script], {
      env: { ...env, DESTINATION: 'r.example.test/svc', ...played.env },
      detached: true,
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const code = await new Promise<number | null>((resolve) =>
      child.on('close', resolve).on('exit', () => endGroup(child.pid)),
    )
    return {
      code,
      output,
      said: readFileSync(said, 'utf8'),
      asked: existsSync(join(place, 'asked')) ? readFileSync(join(place, 'asked'), 'utf8') : '',
      place,
    }
  }

  it('counts the steps and those from the cache, sums the layers, and hides what is secret', async () => {
    const { code, output, said } = await run(
      [
        '#1 [internal] load build definition',
        '#4 [1/3] FROM docker.io/library/busybox',
        '#4 CACHED',
        '#5 [2/3] COPY . .',
        '#5 CACHED',
        '#6 [build 3/3] RUN make',
        `#6 0.1 the password is ${secret}, ${secret}.`,
        '#6 0.2 CACHED',
        '#6 DONE 0.3s',
        '#7 [3/3] RUN other',
        'the last line has no end',
      ].join('\n'),
    )
    expect(code, output).to.equal(0)
    expect(JSON.parse(said)).to.deep.equal({ digest: `sha256:${digest}`, steps: 3, cachedSteps: 1, bytes: 3524 })
    expect(output.split('\n').slice(6)).to.deep.equal([
      '#6 0.1 the password is ***, ***.',
      '#6 0.2 CACHED',
      '#6 DONE 0.3s',
      '#7 [3/3] RUN other',
      'the last line has no end',
      `pushed r.example.test/svc:web-cccccccccccc@sha256:${digest}: 3524 bytes, 1 of 3 steps from the cache`,
      '',
    ])
  })

  it('gives plain variables as arguments, and secret ones as files whose value is on no command line', async () => {
    const { asked, place } = await run('#1 DONE')
    expect(asked).to.include('<--opt><build-arg:COLOUR=dark "green"\nand blue>')
    expect(asked).to.include(`<--secret><id=NPM_TOKEN,src=${join(place, 'secrets/NPM_TOKEN')}>`)
    expect(asked).not.to.include(secret)
  })

  it('ends with the sentence of the builder, after all of its lines', async () => {
    const { code, output, said } = await run(`#6 [2/2] RUN false\nerror: failed to solve: exit code: 1\n`, 1)
    expect([code, said]).to.deep.equal([1, 'exit code: 1'])
    expect(output).to.equal('#6 [2/2] RUN false\nerror: failed to solve: exit code: 1\nexit code: 1\n')
  })

  it('says that there were too many processes: by a line of a step, of the builder, or where it can start none', async () => {
    const sentence = 'the build had more processes than it may have'
    const line = "#6 0.213 sh: can't fork: Resource temporarily unavailable\n"
    const step = await run(`${line}error: failed to solve: exit code: 2\n`, 1)
    expect(step.said).to.equal(`${sentence}: exit code: 2 (sh: can't fork: Resource temporarily unavailable)`)
    const daemon = 'echo "runtime: failed to create new OS thread"; sleep 0.2'
    const builder = await run('error: rpc error: code = Unavailable\n', 1, { daemon })
    const ended = 'rpc error: code = Unavailable (runtime: failed to create new OS thread)'
    expect(builder.said).to.equal(`${sentence}: ${ended}`)
    // An error of the shell itself, which ends with 2 as a fork that fails does.
    const shell = await run('#1 DONE', 0, { env: { DESTINATION: undefined } })
    expect([shell.code, shell.said]).to.deep.equal([1, `${sentence}: the builder could start no other`])
  })
})

/** As the end of a container does with what it started. */
function endGroup(pid: number | undefined): void {
  try {
    process.kill(-(pid ?? 0), 'SIGKILL')
  } catch {
    // none of them is left
  }
}
