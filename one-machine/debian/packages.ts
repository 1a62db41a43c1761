/**
 * The commands that a node needs from the operating system, the Debian packages that contain them, and their
 * installation.
 */
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { withLists } from './apt.ts'

const run = promisify(execFile)
const APT_ENVIRONMENT = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
/** The folders of the CNI plugins in Debian, in Fedora and in the plugins' own archive. */
const CNI_FOLDERS = ['/usr/lib/cni', '/usr/libexec/cni', '/opt/cni/bin']

/** Root's own folders are searched even when PATH lacks them, as after a plain `su`. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
export const SYSTEM_PATH = SYSTEM_FOLDERS.join(delimiter)

/** Command to Debian package. */
const COMMANDS: Record<string, string> = {
  runc: 'runc',
  nft: 'nftables',
  iptables: 'iptables',
  ip: 'iproute2',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  openssl: 'openssl',
  sysctl: 'procps',
  bash: 'bash',
}
/**
 * Optional for a node: the way out to the internet, and (the static one) an image that could come from there instead.
 */
const WELCOME: Record<string, string> = { slirp4netns: 'slirp4netns', busybox: 'busybox-static' }

/** The absolute path of a command, or undefined. */
export function findCommand(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SYSTEM_FOLDERS]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** The folder with the CNI plugins bridge, host-local and portmap, or undefined. */
export function findCniPlugins(): string | undefined {
  return CNI_FOLDERS.find((folder) =>
    ['bridge', 'host-local', 'portmap', 'loopback'].every((name) => isExecutable(join(folder, name))),
  )
}

export function aptIsHere(): boolean {
  return existsSync('/etc/debian_version') && findCommand('apt-get') !== undefined
}

export interface Missing {
  /** The missing commands that a node requires; for people. */
  commands: string[]
  /** All packages to install; for apt. */
  packages: string[]
  /** The packages of `commands`. */
  needed: string[]
}

export function findMissing(): Missing {
  const absent = (list: Record<string, string>): string[] =>
    Object.keys(list).filter((name) => findCommand(name) === undefined)
  const commands = absent(COMMANDS)
  const needed = commands.map((name) => COMMANDS[name] ?? name)
  if (findCniPlugins() === undefined) {
    commands.push('the CNI plugins')
    needed.push('containernetworking-plugins')
  }
  const welcome = absent(WELCOME).map((name) => WELCOME[name] ?? name)
  return { commands, needed: [...new Set(needed)], packages: [...new Set([...needed, ...welcome])] }
}

/**
 * Installs what is missing by apt-get (root on Debian or Ubuntu); elsewhere throws one sentence that names the
 * packages.
 */
export async function installPackages(progress: (line: string) => void): Promise<void> {
  const { packages, needed } = findMissing()
  if (packages.length === 0) return
  if (!aptIsHere()) {
    if (needed.length > 0) throw new Error(`install these packages first: ${needed.join(' ')}`)
    progress(`the node runs without ${packages.join(' and ')}`)
    return
  }
  progress(`installing Debian packages: ${packages.join(' ')}`)
  await withLists(() => aptInstall(packages)).catch((cause: unknown) => {
    throw new Error(`apt-get could not install ${packages.join(' ')}: ${lastLine(cause)}`, { cause })
  })
}

/** Waits for apt's lock: unattended upgrades often hold it for a minute. */
export async function aptInstall(packages: string[]): Promise<void> {
  await run(
    'apt-get',
    ['-q', '-y', '-o', 'DPkg::Lock::Timeout=120', 'install', '--no-install-recommends', ...packages],
    { env: APT_ENVIRONMENT },
  )
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function lastLine(cause: unknown): string {
  const text = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause)
  return text.trim().split('\n').at(-1) ?? ''
}
