/** The kernel of user-mode Linux, which is an ordinary program: built of Debian's sources, kept in the cache. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withLists } from '../../one-machine/debian/apt.ts'
import { locateCache } from '../../one-machine/servers/cache.ts'

const run = promisify(execFile)
/** Debian's package user-mode-linux has no packet filter for IPv4 (NF_TABLES_IPV4), which the node needs. */
const source = 'linux-source-6.12'
/** The kubelet ends at once where /proc/cpuinfo names no clock speed, as this kernel's does. */
const speedFile = 'arch/um/kernel/um_arch.c'
const [speedBefore, speedAfter] = [String.raw`"bogomips\t`, String.raw`"cpu MHz\t\t: 1000.000\nbogomips\t`]
const configuration = join(import.meta.dirname, 'kernel.config')

/** The path of the kernel. It appears complete or not at all; another source or configuration makes another one. */
export async function makeKernel(log: (line: string) => void): Promise<string> {
  const wanted = readFileSync(configuration, 'utf8')
  const hash = createHash('sha256')
    .update(JSON.stringify([source, speedAfter, wanted]))
    .digest('hex')
    .slice(0, 12)
  const kernel = join(locateCache(process.env), 'vm', `linux-${hash}`)
  if (existsSync(kernel)) return kernel
  log(`building the kernel of user-mode Linux from ${source}, once`)
  const vm = join(locateCache(process.env), 'vm')
  mkdirSync(vm, { recursive: true })
  const draft = mkdtempSync(join(vm, 'making-'))
  const tree = join(draft, source)
  const make = (...words: string[]): Promise<unknown> =>
    run('nice', ['make', '--silent', 'ARCH=um', ...words], { cwd: tree, maxBuffer: 1024 ** 3 })
  try {
    await withLists(() => run('apt-get', ['-q', 'download', source], { cwd: draft }))
    await run('sh', ['-c', `dpkg-deb -x *.deb . && tar -xJf usr/src/${source}.tar.xz`], { cwd: draft })
    const before = readFileSync(join(tree, speedFile), 'utf8')
    if (!before.includes(speedBefore)) throw new Error(`${source} has another ${speedFile}`)
    writeFileSync(join(tree, speedFile), before.replace(speedBefore, speedAfter))
    await make('x86_64_defconfig')
    await run('scripts/kconfig/merge_config.sh', ['-m', '.config', configuration], { cwd: tree })
    await make('olddefconfig')
    const had = new Set(readFileSync(join(tree, '.config'), 'utf8').split('\n'))
    const missing = wanted.split('\n').filter((line) => line.includes('CONFIG_') && !had.has(line))
    if (missing.length > 0) throw new Error(`${source} does not take ${missing.join(', ')}`)
    await make(`-j${cpus().length}`, 'linux')
    renameSync(join(tree, 'linux'), kernel)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return kernel
}
