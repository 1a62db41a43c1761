/** The commands a node needs from the operating system, the Debian packages that hold them, and how they are installed. */
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const APT_ENVIRONMENT = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
/** Where Debian, Fedora and the plugins' own archive put the CNI plugins. */
const CNI_FOLDERS = ['/usr/lib/cni', '/usr/libexec/cni', '/opt/cni/bin']

/** Command to Debian package. busybox becomes an image and must be the static one; slirp4netns is the way out to the internet. */
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
  busybox: 'busybox-static',
  slirp4netns: 'slirp4netns',
}

/** The absolute path of a command, or undefined; root's own folders count even where PATH lacks them. */
export function findCommand(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/bin', '/bin']
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** The folder with the CNI plugins bridge, host-local and portmap, or undefined. */
export function findCniPlugins(): string | undefined {
  return CNI_FOLDERS.find((folder) => ['bridge', 'host-local', 'portmap', 'loopback'].every((name) => isExecutable(join(folder, name))))
}

export function aptIsHere(): boolean {
  return existsSync('/etc/debian_version') && findCommand('apt-get') !== undefined
}

/** What is missing: the commands, for people, and the packages, for apt. */
export function missingPackages(): { commands: string[]; packages: string[] } {
  const commands = Object.keys(COMMANDS).filter((name) => findCommand(name) === undefined)
  const packages = commands.map((name) => COMMANDS[name] ?? name)
  if (findCniPlugins() === undefined) {
    commands.push('the CNI plugins')
    packages.push('containernetworking-plugins')
  }
  return { commands, packages: [...new Set(packages)] }
}

/** Installs what is missing by apt-get (root on Debian or Ubuntu); throws one sentence naming the packages where that cannot be. */
export async function installPackages(progress: (line: string) => void): Promise<void> {
  const { packages } = missingPackages()
  if (packages.length === 0) return
  if (!aptIsHere()) throw new Error(`install these packages first: ${packages.join(' ')}`)
  progress(`installing Debian packages: ${packages.join(' ')}`)
  try {
    await aptInstall(packages)
  } catch {
    // Stale package lists name files that the mirror no longer has.
    await run('apt-get', ['-q', 'update'], { env: APT_ENVIRONMENT })
    await aptInstall(packages).catch((cause: unknown) => {
      throw new Error(`apt-get could not install ${packages.join(' ')}: ${lastLine(cause)}`, { cause })
    })
  }
}

/** apt's lock is waited for: unattended upgrades often hold it for a minute. */
async function aptInstall(packages: string[]): Promise<void> {
  await run('apt-get', ['-q', '-y', '-o', 'DPkg::Lock::Timeout=120', 'install', '--no-install-recommends', ...packages], { env: APT_ENVIRONMENT })
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
