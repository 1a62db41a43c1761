/** Whether this machine can run a real node, and if not, one sentence with the reason. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { release } from 'node:os'
import { whyNoCgroups } from './cgroups.ts'
import { SYSTEM_PATH, aptIsHere, findCommand, findMissing } from '../debian/packages.ts'

export type CanHave = { ok: true } | { ok: false; why: string }

/** kube-proxy's nftables mode refuses older kernels. */
const OLDEST_KERNEL = [5, 13] as const

/** Tests the machine itself (it really tries namespaces, links and cgroups), so that a start does not fail halfway. */
export function canHaveNode(): CanHave {
  const why = whyNoLinux() ?? whyNoTools() ?? whyNoCgroups() ?? whyNoNamespaces()
  return why === undefined ? { ok: true } : { ok: false, why }
}

function whyNoLinux(): string | undefined {
  if (process.platform !== 'linux') return `a real node needs Linux, and this is ${process.platform}`
  if (process.getuid?.() !== 0) return 'a real node needs root: start with sudo'
  const [major = 0, minor = 0] = release().split('.').map(Number)
  if (major < OLDEST_KERNEL[0] || (major === OLDEST_KERNEL[0] && minor < OLDEST_KERNEL[1])) {
    return `a real node needs Linux ${OLDEST_KERNEL.join('.')} or newer, and this is ${release()}`
  }
  if (
    !/\boverlay\b/.test(readFileSync('/proc/filesystems', 'utf8')) &&
    spawnSync('modprobe', ['overlay']).status !== 0
  ) {
    return 'the kernel has no overlay filesystem, which container images need'
  }
  return undefined
}

function whyNoTools(): string | undefined {
  const { commands, needed } = findMissing()
  if (commands.length === 0 || aptIsHere()) return undefined
  return `${commands.join(', ')} ${commands.length === 1 ? 'is' : 'are'} missing: install ${needed.join(' ')}`
}

/** Root inside a container often may not do these; trying costs about 10 ms. */
function whyNoNamespaces(): string | undefined {
  const links =
    findCommand('ip') === undefined
      ? 'true'
      : 'ip link add svc0 type veth peer name svc1 && ip link add svc2 type bridge'
  const tries = `mount -t tmpfs tmpfs /run && ${links}`
  const done = spawnSync(
    'unshare',
    ['--mount', '--uts', '--ipc', '--net', '--pid', '--fork', '--mount-proc', 'sh', '-c', tries],
    {
      encoding: 'utf8',
      env: { PATH: SYSTEM_PATH },
    },
  )
  if (done.status === 0) return undefined
  return `root may not make namespaces and network links here (${(done.stderr ?? String(done.error)).trim().split('\n')[0]})`
}
