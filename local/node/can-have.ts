/** Whether this machine can run a real node of its own, and if not, the one sentence that says why. */
import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { aptIsHere, missingPackages } from './packages.ts'

export type CanHave = { ok: true } | { ok: false; why: string }

const CGROUP2_MAGIC = 0x63677270
const NEEDED_V1_HIERARCHIES = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'pids']
const NEEDED_V2_CONTROLLERS = ['cpu', 'cpuset', 'memory', 'pids']

/** Which cgroup version the machine runs; 1 was tried with this node, 2 is written from the manuals (docs say so). */
export function cgroupVersion(): 1 | 2 {
  return statfsSync('/sys/fs/cgroup').type === CGROUP2_MAGIC ? 2 : 1
}

/** Asks the machine itself (namespaces, links, cgroups are really tried), so that starting does not fail halfway. */
export function canHaveNode(): CanHave {
  const why = whyNoLinux() ?? whyNoTools() ?? whyNoCgroups() ?? whyNoNamespaces()
  return why === undefined ? { ok: true } : { ok: false, why }
}

function whyNoLinux(): string | undefined {
  if (process.platform !== 'linux') return `a real node needs Linux, and this is ${process.platform}`
  if (process.getuid?.() !== 0) return 'a real node needs root: start with sudo'
  if (!/\boverlay\b/.test(readFileSync('/proc/filesystems', 'utf8')) && spawnSync('modprobe', ['overlay']).status !== 0) {
    return 'the kernel has no overlay filesystem, which container images need'
  }
  return undefined
}

function whyNoTools(): string | undefined {
  const { commands, packages } = missingPackages()
  if (commands.length === 0 || aptIsHere()) return undefined
  return `${commands.join(', ')} ${commands.length === 1 ? 'is' : 'are'} missing; install the packages ${packages.join(' ')}`
}

function whyNoCgroups(): string | undefined {
  if (!existsSync('/sys/fs/cgroup')) return 'no cgroups are mounted at /sys/fs/cgroup'
  if (cgroupVersion() === 2) {
    const have = readFileSync('/sys/fs/cgroup/cgroup.controllers', 'utf8').trim().split(' ')
    const missing = NEEDED_V2_CONTROLLERS.filter((name) => !have.includes(name))
    return missing.length > 0 ? `the cgroup controllers ${missing.join(', ')} are not to be had here` : undefined
  }
  const missing = NEEDED_V1_HIERARCHIES.filter((name) => !existsSync(`/sys/fs/cgroup/${name}/cgroup.procs`))
  return missing.length > 0 ? `the cgroup hierarchies ${missing.join(', ')} are not mounted` : undefined
}

/** A root inside somebody's container often may not do these; trying costs about 10 ms. */
function whyNoNamespaces(): string | undefined {
  const tries = 'ip link add svc0 type veth peer name svc1 && ip link add svc2 type bridge && mount -t tmpfs tmpfs /run'
  const done = spawnSync('unshare', ['--mount', '--uts', '--ipc', '--net', '--pid', '--fork', '--mount-proc', 'sh', '-c', tries], { encoding: 'utf8' })
  if (done.status === 0) return undefined
  return `root may not make namespaces and network links here (${(done.stderr ?? String(done.error)).trim().split('\n')[0]})`
}
