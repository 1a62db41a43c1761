/**
 * Manual pages and completions, read by the real man and loaded by the real shells, which come from Debian's packages
 * where this machine lacks them. Where neither is there they are skipped, but not where `CI` is set.
 */
import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { manPages } from '../../cli/man/man-page.ts'
import { createProgram } from '../../cli/program.ts'
import type { Cli } from '../../cli/session/session.ts'
import { aptIsHere } from '../../one-machine/index.ts'
import { debianPrograms } from '../harness/debian-programs.ts'
import { openDesk } from './run-svc.ts'

const run = promisify(execFile)
const skips = process.env['CI'] === undefined
const isThere = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const cli = { terminal: { live: false }, env: {} } as unknown as Cli // no command is run

describe('completion scripts', function () {
  this.timeout(180_000) // a shell may be downloaded first
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-shells-'))
    const main = join(import.meta.dirname, '../../cli/main.ts')
    await writeFile(join(folder, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
    await chmod(join(folder, 'svc'), 0o755)
  })
  after(async () => await rm(folder, { recursive: true }))
  const inShell = async (shell: string, ...args: string[]) => {
    const programs = await debianPrograms([shell], [shell])
    const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, TERM: 'xterm', SHELL_ROOT: programs.root }
    const { stdout } = await run(programs.path(shell), args, { env: { ...env, ...programs.env } })
    return stdout.trim().split(/\s+/)
  }
  const wanted = ['deploy', 'deploy-key', 'deployments']
  /** Zsh completes in its line editor alone, so this one hands the found words out instead of showing them. */
  const zsh = `[[ $SHELL_ROOT == / ]] || { module_path=($SHELL_ROOT/usr/lib/*/zsh/*(/)); fpath=($SHELL_ROOT/usr/share/zsh/functions/**/*(/)); }
    autoload -Uz compinit && compinit -u -d $HOME/dump
    source <(svc completion zsh)
    [[ $_comps[svc] == _svc ]] || exit 9
    compadd() { while [[ $1 == -* ]]; do shift; done; print -l -- \${(P)1} }
    words=(svc apps dep); CURRENT=3; _svc`
  const scripts: [string, string[]][] = [
    [
      'bash',
      [
        '--norc',
        '-c',
        'source <(svc completion bash); complete -p svc >&2 || exit 9; COMP_WORDS=(svc apps dep); COMP_CWORD=2; _svc; echo "${COMPREPLY[@]}"',
      ],
    ],
    ['zsh', ['-f', '-c', zsh]],
    ['fish', ['--no-config', '-c', 'svc completion fish | source; complete -C "svc apps dep"']],
  ]
  for (const [shell, args] of scripts) {
    it(`work in ${shell}`, async function () {
      if (skips && !isThere(shell) && !aptIsHere()) {
        console.log(`      ${shell} is not on this machine`)
        this.skip()
      }
      expect(await inShell(shell, ...args)).to.have.members(wanted)
    })
  }
})

describe('manual pages', () => {
  it('are there for the program and each of its commands', async () => {
    const program = await createProgram(cli)
    const names = program
      .createHelp()
      .visibleCommands(program)
      .map((it) => `svc-${it.name()}`)
    expect([...manPages(program).keys()]).to.deep.equal(['svc', ...names])
  })
  it('are read by man without a warning', async function () {
    this.timeout(60_000)
    if (skips && !isThere('man')) {
      console.log('      man is not on this machine')
      this.skip()
    }
    const folder = await mkdtemp(join(tmpdir(), 'svc-man-'))
    const env = { PATH: process.env['PATH'], MANWIDTH: '80', LC_ALL: 'C.UTF-8', HOME: folder }
    for (const [name, page] of manPages(await createProgram(cli))) {
      const file = join(folder, `${name}.1`)
      await writeFile(file, page)
      const { stdout, stderr } = await run('man', ['--warnings', '-l', file], { env })
      expect([name, stderr]).to.deep.equal([name, ''])
      expect(stdout).to.include('NAME').and.to.include(name)
    }
    const page = await run('man', ['-l', join(folder, 'svc-apps.1')], { env })
    expect(page.stdout.replaceAll(/.\x08/g, '')).to.include('svc apps scale').and.to.include('--sleep-after <duration>') // oxlint-disable-line no-control-regex -- man overstrikes
    await rm(folder, { recursive: true })
  })
  it('of a command that is none ends with 2', async () => {
    const desk = await openDesk()
    expect((await desk.svc(['man', 'nope'])).code).to.equal(2)
    expect((await desk.svc(['man', 'apps'])).out).to.match(/^\.TH SVC\\-APPS 1/)
    await desk.close()
  })
})
