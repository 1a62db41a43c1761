/**
 * The node's process: one `unshare` whose first inner process is init.sh; and the removal of all that a node leaves
 * outside itself.
 */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { scaledLimit } from '../processes/time-limits.ts'
import { identify, isRunning, type ProcessIdentity } from '../processes/identity.ts'
import { NODE } from './certificates.ts'
import { makeCgroups, removeCgroups } from './cgroups.ts'
import type { NodeNetwork } from './network.ts'
import { SYSTEM_PATH, findCommand } from '../debian/packages.ts'

/**
 * The node's own folders are mounted over these, which every system has. A /var/lib/kubelet made on the machine would
 * not do: its removal after a stop would take it from another running node.
 */
const SHADOWED = ['/var/lib', '/var/log']
const HIDDEN = [...SHADOWED, '/run', '/sys', '/proc']
/** How long init.sh waits for its processes after SIGTERM (50 ms per try), and how long svc waits for init.sh. */
const STOP_TRIES = 60
const STOP_WITHIN_MS = 6000
const GONE_WITHIN_MS = 5000
/** The servers read settings from variables named after them, so they inherit only these. */
const ENVIRONMENT = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'SSL_CERT_FILE', 'LANG']
const startedRecord = z.object({ pid: z.number(), began: z.string() })

export interface NodeProcess {
  pid: number
  /** Notifies the node that the API server answers: the parts that need it start then. */
  apiAnswers(): void
  /** Resolves with the reason when the node has ended for whatever reason. */
  ended: Promise<string>
  /** Stops every process of the node and removes what it made outside its folder. */
  stop(): Promise<void>
}

/** Starts the node's processes from the settings in `<nodeDir>/etc`; `nodeDir` is absolute and real. */
export async function startNodeProcess(nodeDir: string, network: NodeNetwork): Promise<NodeProcess> {
  const hidden = HIDDEN.find((folder) => nodeDir.startsWith(`${folder}/`))
  if (hidden !== undefined)
    throw new Error(`a node cannot keep its data below ${hidden}, which it hides from itself: choose another folder`)
  await moveLogsAside(nodeDir)
  await writeInitEnvironment(nodeDir, network, await makeCgroups(network.name))
  const child = spawnInit(nodeDir, network)
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  child.stdin?.on('error', () => undefined) // EPIPE: it has ended, and `ended` resolves
  await writeFile(startedFile(nodeDir), JSON.stringify(identify(child.pid ?? 0)))
  return {
    pid: child.pid ?? 0,
    ended,
    apiAnswers: () => void child.stdin?.write('go\n'),
    stop: async () => {
      child.stdin?.end()
      const late = new AbortController()
      const limit = sleep(scaledLimit(STOP_WITHIN_MS), 'late', { signal: late.signal }).catch(() => undefined)
      if ((await Promise.race([ended, limit])) === 'late') child.kill('SIGKILL')
      late.abort()
      await ended
      await removeOutside(nodeDir, network.name)
    },
  }
}

function spawnInit(nodeDir: string, network: NodeNetwork): ReturnType<typeof spawn> {
  const hostNetwork = openSync('/proc/self/ns/net', 'r')
  const log = openSync(join(nodeDir, 'log/init.log'), 'a')
  const kept = Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]]))
  const noProxy = [
    '127.0.0.1',
    'localhost',
    network.block,
    '.svc',
    '.cluster.local',
    process.env['NO_PROXY'] ?? '',
  ].join(',')
  try {
    const namespaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']
    return spawn(
      findCommand('unshare') ?? 'unshare',
      [...namespaces, 'bash', join(import.meta.dirname, 'init.sh'), nodeDir],
      {
        stdio: ['pipe', log, log, hostNetwork],
        detached: true, // a Ctrl-C in the terminal reaches only svc, which stops the node in order
        cwd: '/',
        env: { ...kept, NO_PROXY: noProxy, PATH: SYSTEM_PATH, HOME: nodeDir },
      },
    )
  } finally {
    closeSync(hostNetwork)
    closeSync(log)
  }
}

async function writeInitEnvironment(nodeDir: string, network: NodeNetwork, cgroups: string[]): Promise<void> {
  const values = {
    NODE,
    LINK: network.name,
    HOST_ADDRESS: network.hostAddress,
    NODE_ADDRESS: network.nodeAddress,
    POD_RANGE: network.podRange,
    SERVICE_RANGE: network.serviceRange,
    EGRESS_RANGE: network.egressRange,
    SLIRP: findCommand('slirp4netns') ?? '',
    CGROUPS: cgroups.join(' '),
    SHADOWED: SHADOWED.join(' '),
    STOP_TRIES: String(scaledLimit(STOP_TRIES)),
  }
  await writeFile(
    join(nodeDir, 'etc/init.env'),
    Object.entries(values)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  )
}

/** Removes what a killed start left behind; its processes end by themselves when their parent is gone. */
export async function removeLeftovers(nodeDir: string, name: string): Promise<void> {
  const started = readStarted(nodeDir)
  if (started !== undefined && !(await goneWithin(started, STOP_WITHIN_MS))) {
    process.kill(started.pid, 'SIGKILL') // which ends init.sh, and so every process in its namespaces
    await goneWithin(started, GONE_WITHIN_MS)
  }
  await removeOutside(nodeDir, name)
}

async function goneWithin(process: ProcessIdentity, ms: number): Promise<boolean> {
  for (const deadline = Date.now() + scaledLimit(ms); Date.now() < deadline; await sleep(50))
    if (!isRunning(process)) return true
  return false
}

/** Link and routes disappear with the network namespace, a moment after its last process. */
async function removeOutside(nodeDir: string, name: string): Promise<void> {
  const busy = await removeCgroups(name)
  if (busy.length > 0) throw new Error(`these cgroups still hold processes: ${busy.join(', ')}`)
  for (
    const deadline = Date.now() + scaledLimit(GONE_WITHIN_MS);
    existsSync(`/sys/class/net/${name}`);
    await sleep(20)
  ) {
    if (Date.now() > deadline)
      throw new Error(`the network link ${name} is still there: some process still holds the node's network`)
  }
  await rm(startedFile(nodeDir), { force: true })
}

function startedFile(nodeDir: string): string {
  return join(nodeDir, 'process.json')
}

/** Undefined when there is none, or a truncated one after a kill: such a node ends by itself. */
function readStarted(nodeDir: string): ProcessIdentity | undefined {
  try {
    return startedRecord.parse(JSON.parse(readFileSync(startedFile(nodeDir), 'utf8')))
  } catch {
    return undefined
  }
}

/** Keeps the logs of the last two starts, which bounds their size. */
async function moveLogsAside(nodeDir: string): Promise<void> {
  const log = join(nodeDir, 'log')
  await rm(`${log}.before`, { recursive: true, force: true })
  if (existsSync(log)) await rename(log, `${log}.before`)
  await mkdir(log, { recursive: true })
}

/** The last lines of one of the node's logs, for an error message. */
export async function logTail(nodeDir: string, name: string): Promise<string> {
  const text = await readFile(join(nodeDir, 'log', `${name}.log`), 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-8).join('\n')
}
