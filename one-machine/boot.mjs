/**
 * Runs a TypeScript file of this project on its own Node 24, after installing the npm packages when they are missing:
 * `node one-machine/boot.mjs <file> [arguments]`. Plain JavaScript, since any Node from 18 on must be able to run it.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const oldestNode = 24
const recheckMs = 300
const npmEveryMs = 200
const setpriv = '/usr/bin/setpriv'
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.svc-installed')
const lockFile = join(root, '.svc', 'install.lock')
const ownNode = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')

const say = (line) => process.stderr.write(`svc: ${line}\n`)

/** What runs for us now: npm while packages are installed, then the script. */
let child
/** Set by the first signal that asks us to end. */
let asked
let ownsLock = false

/**
 * Every signal goes on, also a Ctrl-C that the terminal has sent to the script as well: a script is asked once however
 * often it is signalled. While nothing runs there is nothing to wait for.
 */
function endBy(signal) {
  asked ??= signal
  if (child === undefined) process.exit(codeOf(signal))
  child.kill(signal)
}

const codeOf = (signal) => 128 + (constants.signals[signal] ?? 0)

/** On Linux what runs for us is asked to stop when we die, however that happens. */
function launch(command, args, options) {
  const follows = process.platform === 'linux' && existsSync(setpriv)
  const [program, words] = follows ? [setpriv, ['--pdeathsig', 'TERM', '--', command, ...args]] : [command, args]
  child = spawn(program, words, options)
  return child
}

for (const signal of signals) process.on(signal, () => endBy(signal))
process.on('exit', () => {
  if (ownsLock) rmSync(lockFile, { force: true })
})

/** What the installed packages must match: the lock file, and the machine that native packages were chosen for. */
function wantedStamp() {
  const locked = readFileSync(join(root, 'package-lock.json'))
  return `${createHash('sha256').update(locked).digest('hex')} ${process.platform}-${process.arch}`
}

function isInstalled() {
  return existsSync(stampFile) && existsSync(ownNode) && readFileSync(stampFile, 'utf8') === wantedStamp()
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** The pid in the lock file; undefined while another process is just writing it. */
function lockOwner() {
  try {
    return Number(readFileSync(lockFile, 'utf8')) || undefined
  } catch {
    return undefined
  }
}

function tryLock() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const owner = lockOwner()
  if (owner !== undefined && !isAlive(owner)) {
    // Of several processes only one succeeds in moving the dead owner's lock away.
    try {
      renameSync(lockFile, `${lockFile}.${process.pid}`)
      rmSync(`${lockFile}.${process.pid}`)
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
  return false
}

async function lock() {
  mkdirSync(dirname(lockFile), { recursive: true })
  for (let isReported = false; !tryLock();) {
    const owner = lockOwner()
    if (!isReported && owner !== undefined && isAlive(owner)) {
      say(`process ${owner} is installing the npm packages; waiting for it`)
      isReported = true
    }
    await new Promise((resolve) => setTimeout(resolve, recheckMs))
  }
}

/** The npm that runs us, else the one on the PATH. Its output goes to stderr: stdout belongs to the script. */
async function npm(...args) {
  const own = process.env.npm_execpath
  const [command, first] = own && /\.c?js$/.test(own) ? [process.execPath, [own]] : ['npm', []]
  const flags = ['--no-audit', '--no-fund', '--loglevel=error']
  const installing = launch(command, [...first, ...args, ...flags], { cwd: root, stdio: ['ignore', 2, 2] })
  const code = await new Promise((resolve) => {
    installing.once('exit', resolve)
    installing.once('error', (error) => {
      say(`npm cannot be run: ${error.message}`)
      resolve(1)
    })
  })
  child = undefined
  if (asked !== undefined) process.exit(codeOf(asked))
  return code === 0
}

/**
 * Not `npm ci`: it empties node_modules first, while others may be running from it, and refuses a lock file that lacks
 * packages of other systems. `npm install` keeps to the lock file too and completes what an interrupted one left.
 */
async function install() {
  await lock()
  ownsLock = true
  const done = await installLocked()
  rmSync(lockFile, { force: true })
  ownsLock = false
  if (!done)
    fail(
      'npm could not install the packages, its lines above say why; if they name no cause, remove node_modules and start again',
    )
}

async function installLocked() {
  if (isInstalled()) return true
  say('installing the npm packages, Node 24 among them; this takes about a minute')
  if (!(await npm('install', '--no-save'))) return false
  if (existsSync(ownNode)) writeFileSync(stampFile, wantedStamp())
  return true
}

function fail(sentence) {
  say(sentence)
  process.exit(1)
}

/** The Node of the package `node`; where its install script may not run, the current one when it is new enough. */
function chooseNode() {
  if (existsSync(ownNode)) return ownNode
  if (Number(process.versions.node.split('.')[0]) >= oldestNode) return process.execPath
  return fail(
    `Node ${oldestNode} is missing: npm did not run the install script of the package "node" (is ignore-scripts set?); allow it or install Node ${oldestNode}`,
  )
}

/** The command line and the parent of a process; undefined when it is gone. */
function lookUp(pid) {
  try {
    if (existsSync('/proc/self/stat')) {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return {
        line: readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
        parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]),
      }
    }
    const [, parent, line] =
      /^\s*(\d+)\s+(.*)$/.exec(execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' })) ??
      []
    return parent === undefined ? undefined : { line, parent: Number(parent) }
  } catch {
    return undefined
  }
}

/**
 * npm hands on SIGINT and SIGTERM alone, and only to the shell it put between itself and us, which dies of them without
 * handing them on; of any other signal npm dies and the shell stays. So both are watched: no other process could stop
 * the script.
 */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return
  const above = process.ppid
  const shell = lookUp(above)
  const npmPid = shell?.line.includes('boot.mjs') ? shell.parent : undefined
  const isThere = () => {
    if (process.ppid !== above) return false
    if (npmPid === undefined) return true
    return existsSync('/proc/self/stat') ? lookUp(above)?.parent === npmPid : isAlive(npmPid)
  }
  const watch = setInterval(() => {
    if (isThere()) return
    clearInterval(watch)
    endBy('SIGTERM')
  }, npmEveryMs)
  watch.unref()
}

/** The end of the script, by code or by signal, becomes ours. */
function run(node, args) {
  const env = { NODE_COMPILE_CACHE: join(modules, '.cache', 'compiled'), ...process.env }
  const script = launch(node, args, { stdio: 'inherit', env })
  script.once('error', (error) => fail(`${node} cannot be run: ${error.message}`))
  script.once('exit', (code, signal) => process.exit(code ?? codeOf(signal)))
}

if (process.argv.length < 3) fail('usage: node one-machine/boot.mjs <file.ts> [arguments]')
stopWithNpm()
if (!isInstalled()) await install()
run(chooseNode(), process.argv.slice(2))
