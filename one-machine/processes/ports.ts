/** Ports on loopback: free ones, the ones used last time, and the process that holds a taken one. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import { connect, createServer } from 'node:net'
import { basename, dirname } from 'node:path'

export const loopback = '127.0.0.1'

/** Listens for a moment: 0 asks the system for any free port. Undefined when the port is taken. */
function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.unref()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(undefined) : reject(error),
    )
    server.listen({ port, host: loopback, exclusive: true }, () => {
      const address = server.address()
      const taken = typeof address === 'object' && address !== null ? address.port : port
      server.close(() => resolve(taken))
    })
  })
}

export async function isPortFree(port: number): Promise<boolean> {
  return (await tryListen(port)) !== undefined
}

/** Whether a process accepts connections on the port of loopback. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: loopback })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** The first port that the system may assign to an outgoing connection: its own setting, else the default of Linux. */
function firstEphemeralPort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/)[0])
  } catch {
    return 32_768
  }
}

const lowestPort = 15_000
/** The first of the node ports that Kubernetes assigns to Services. */
const firstNodePort = 30_000
const tries = 50
/** How long a port that was handed out is not handed out again: by then its process listens, or never will. */
const handedOutMs = 60_000
/** When each port was handed out last. */
const handedOut = new Map<number, number>()

/** Holds a port back from `freePort`, for a process of this stack that is to listen on it later. */
export function reservePort(port: number): void {
  handedOut.set(port, Infinity)
}

/**
 * The first port and the end after the last; SVC_TEST_PORTS, such as `1/2` for the first half, keeps runs of tests
 * apart that start servers side by side.
 */
function portRange(): [from: number, end: number] {
  const [part = 1, parts = 1] = process.env['SVC_TEST_PORTS']?.split('/').map(Number) ?? []
  const size = Math.floor((Math.min(firstEphemeralPort(), firstNodePort) - lowestPort) / parts)
  return [lowestPort + size * (part - 1), lowestPort + size * part]
}

/**
 * The preferred port when it is free, else any free one. The caller listens on it a while later, and an outgoing
 * connection could take a port of the ephemeral range until then, so ports of that range are used last.
 */
export async function freePort(preferred?: number): Promise<number> {
  const kept = preferred === undefined ? undefined : await tryListen(preferred)
  if (kept !== undefined) return kept
  const [from, end] = portRange()
  for (let left = tries; left > 0 && end > from; left -= 1) {
    const wanted = randomInt(from, end)
    if (Date.now() - (handedOut.get(wanted) ?? 0) < handedOutMs) continue
    handedOut.set(wanted, Date.now())
    const port = await tryListen(wanted)
    if (port !== undefined) return port
  }
  const port = await tryListen(0)
  if (port === undefined) throw new Error('this machine has no free port on loopback')
  return port
}

/** The inode of the socket that listens on the port, from the kernel's tables (state 0A is LISTEN). */
function listeningInode(port: number): string | undefined {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/)
      if (fields[1]?.endsWith(wanted) && fields[3] === '0A') return fields[9]
    }
  }
  return undefined
}

function holdsSocket(pid: string, link: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === link)
  } catch {
    return false // the process has ended or belongs to another user
  }
}

function ownerOnLinux(port: number): string | undefined {
  const inode = listeningInode(port)
  if (inode === undefined) return undefined
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holdsSocket(name, `socket:[${inode}]`))
  if (pid === undefined) return 'a process of another user'
  const [program = '', script = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  const isScript = script !== '' && !script.startsWith('-')
  return `${basename(program)}${isScript ? ` ${basename(dirname(script))}/${basename(script)}` : ''} (process ${pid})`
}

function ownerByLsof(port: number): string | undefined {
  const out = execFileSync('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], { encoding: 'utf8' })
  const pid = /^p(\d+)$/m.exec(out)?.[1]
  return pid === undefined ? undefined : `${/^c(.+)$/m.exec(out)?.[1] ?? 'a program'} (process ${pid})`
}

/** Names the process that listens on a port, such as `node (process 123)`; undefined when it is unknown. */
export function findPortOwner(port: number): string | undefined {
  try {
    return process.platform === 'linux' ? ownerOnLinux(port) : ownerByLsof(port)
  } catch {
    return undefined
  }
}
