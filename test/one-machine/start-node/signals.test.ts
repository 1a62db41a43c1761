/**
 * Signals to the two processes whose pid a user may know, npm and boot.mjs, at any time of a start: nothing is left.
 */
import { expect } from 'chai'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { nodeName } from '../../../one-machine/node/network.ts'
import { freePort } from '../../../one-machine/processes/ports.ts'
import { makeServersOf } from '../../harness/servers.ts'
import { startWithinMs } from '../started.ts'
import { eventually, writeScript } from '../temporary.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** A stop takes up to ten seconds, and longer on a busy machine. */
const goneWithinMs = 30_000
const can = canHaveNode()

interface Run {
  readonly npm: ChildProcess
  output(): string
}

/** The processes of this machine whose command line names the folder, by pid. */
function processesOf(folder: string): Map<number, string> {
  const found = new Map<number, string>()
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ')
      if (line.includes(folder)) found.set(Number(entry), line)
    } catch {
      // the process has ended meanwhile
    }
  }
  return found
}

/** npm's title has no arguments; the command lines of its descendants name the data directory. */
function bootOf(folder: string): number {
  for (const [pid, line] of processesOf(folder)) if (/^\S*node one-machine\/boot\.mjs /.test(line)) return pid
  throw new Error(`no boot.mjs runs for ${folder}`)
}

;(process.platform === 'linux' ? describe : describe.skip)('a signal to npm start', function () {
  this.timeout(2 * startWithinMs)
  let folder: string
  const data = (): string => join(folder, 'data')

  const begin = async (env: NodeJS.ProcessEnv, ...args: string[]): Promise<Run> => {
    const words = ['start', '--', '--data', data(), '--port', String(await freePort()), ...args]
    const npm = spawn('npm', words, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (text) => (output += String(text)))
    return { npm, output: () => output }
  }
  const signal = ({ npm }: Run, to: 'npm' | 'boot.mjs', name: NodeJS.Signals): void => {
    process.kill(to === 'npm' ? (npm.pid ?? 0) : bootOf(data()), name)
  }
  const untilNothingIsLeft = async ({ output }: Run): Promise<void> => {
    await eventually(() => processesOf(folder).size === 0, goneWithinMs).catch((error: unknown) => {
      throw new Error(`${String(error)}; left: ${[...processesOf(folder).values()].join('; ')}\n${output()}`)
    })
    expect(readFileSync('/proc/self/mounts', 'utf8')).to.not.contain(folder)
  }

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-signals-')))
  })
  afterEach(async () => {
    for (const pid of processesOf(folder).keys()) process.kill(pid, 'SIGKILL')
    await eventually(() => processesOf(folder).size === 0)
    rmSync(folder, { recursive: true, force: true })
  })

  describe('while a server is built', () => {
    /** A Go with an empty module whose build never ends; the command line of its compiler names the folder. */
    const beginBuild = async (): Promise<Run> => {
      mkdirSync(join(folder, 'bin'))
      const compiler = writeScript(join(folder, 'bin/compiler'), 'touch "$0.runs"; while :; do sleep 0.2; done')
      const module = join(folder, 'module')
      mkdirSync(module)
      writeScript(
        join(folder, 'bin/go'),
        `[ "$1" = list ] && echo ${module}`,
        '[ "$1" = build ] || exit 0',
        `${compiler} & wait`,
      )
      const PATH = [join(folder, 'bin'), process.env['PATH']].join(delimiter)
      // No server listens there, so nothing is downloaded.
      const run = await begin(
        { PATH, XDG_CACHE_HOME: join(folder, 'cache'), HTTPS_PROXY: 'http://127.0.0.1:1' },
        '--cluster',
        'simulated',
      )
      await eventually(() => existsSync(`${compiler}.runs`), startWithinMs).catch((error: unknown) => {
        throw new Error(run.output(), { cause: error })
      })
      return run
    }

    for (const to of ['npm', 'boot.mjs'] as const) {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const) {
        it(`${name} to ${to}`, async () => {
          const run = await beginBuild()
          signal(run, to, name)
          await untilNothingIsLeft(run)
          expect(readdirSync(join(folder, 'cache/svc')).filter((entry) => entry.startsWith('making-'))).to.deep.equal(
            [],
          )
        })
      }
    }
  })

  ;(can.ok ? describe : describe.skip)('on a real node', () => {
    before(() => makeServersOf('node'))

    const untilNodeIsGone = async (run: Run): Promise<void> => {
      const name = nodeName(join(data(), 'node/node'))
      await untilNothingIsLeft(run)
      expect(existsSync(`/sys/class/net/${name}`)).to.equal(false)
      const hierarchies = [
        '/sys/fs/cgroup',
        ...readdirSync('/sys/fs/cgroup').map((entry) => join('/sys/fs/cgroup', entry)),
      ]
      expect(
        hierarchies.map((hierarchy) => join(hierarchy, name)).filter((cgroup) => existsSync(cgroup)),
      ).to.deep.equal([])
    }
    const moments = {
      'while it begins': (): boolean => existsSync(join(data(), 'node/node/etc/init.env')),
      'while its servers start': (): boolean => existsSync(join(data(), 'node/node/log/kubelet.log')),
    }

    for (const [moment, isThere] of Object.entries(moments)) {
      for (const [to, name] of [
        ['npm', 'SIGTERM'],
        ['boot.mjs', 'SIGHUP'],
      ] as const) {
        it(`${name} to ${to} ${moment}`, async () => {
          const run = await begin({}, '--cluster', 'node')
          await eventually(isThere, startWithinMs)
          signal(run, to, name)
          await untilNodeIsGone(run)
        })
      }
    }

    for (const [to, name] of [
      ['npm', 'SIGHUP'],
      ['boot.mjs', 'SIGINT'],
    ] as const) {
      it(`${name} to ${to} while it serves`, async () => {
        const run = await begin({}, '--cluster', 'node')
        await eventually(() => run.output().includes('Ctrl-C stops everything'), startWithinMs).catch(
          (error: unknown) => {
            throw new Error(run.output(), { cause: error })
          },
        )
        signal(run, to, name)
        await untilNodeIsGone(run)
      })
    }
  })
})
