/**
 * `npm run test:vm`: the real node in a virtual machine with Debian's kernel and the unified tree of cgroups, then in
 * one with a separate tree for each controller. Without KVM: with the unified tree alone, in user-mode Linux. The last
 * line is `N passed, N failed`.
 */
import { mkdtempSync, rmSync, existsSync, cpSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { withLists } from '../../one-machine/debian/apt.ts'
import { engineImage } from '../../one-machine/images/engines.ts'
import { buildProgram } from '../../one-machine/images/programs.ts'
import { aptInstall, aptIsHere, findCommand, installPackages } from '../../one-machine/debian/packages.ts'
import { serversOf } from '../../one-machine/stack.ts'
import { resolveServers } from '../../one-machine/servers/resolve.ts'
import { makeDebian, makePayload } from './image.ts'
import { makeKernel } from './kernel.ts'
import { runInMachine, type Counts, type Kind } from './machine.ts'

const help = `Usage: npm run test:vm -- [--uml | --emulate] [--yes] [TEST…]

Boots Debian 12 in QEMU with KVM, or where there is no /dev/kvm as user-mode Linux, without any way out of it, and runs
tests of the real node there, as root. It needs root on Debian or Ubuntu, 20 GiB of free space and 6 GiB of memory.

  --uml       user-mode Linux also where there is a /dev/kvm: cgroup v2, one processor, and a kernel built here first
  --emulate   QEMU without KVM: only the tests of cgroups, since a whole node takes too long then
  --yes       install the missing Debian packages without asking
  TEST        files to run there instead of the usual ones
`
const tools: Record<string, string> = { mmdebstrap: 'mmdebstrap', mke2fs: 'e2fsprogs' }
const qemuTools: Record<string, string> = { 'qemu-system-x86_64': 'qemu-system-x86' }
const umlTools: Record<string, string> = {
  gcc: 'gcc',
  make: 'make',
  flex: 'flex',
  bison: 'bison',
  bc: 'bc',
  xz: 'xz-utils',
}
const quick = ['test/vm/cgroups.test.ts', 'test/one-machine/node/can-have.test.ts']
const whole = [...quick, 'test/vm/start.test.ts', 'test/one-machine/node.test.ts']
const testsOf: Record<Kind, readonly string[]> = { kvm: whole, emulated: quick, uml: whole }
const oneTreeEach = 'systemd.unified_cgroup_hierarchy=0'

const say = (line: string): void => console.log(line)

function whyNot(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return 'the virtual machine is one of Linux on x86-64, and this machine is not'
  if (process.getuid?.() !== 0) return 'making the disk of the virtual machine needs root'
  if (!aptIsHere()) return 'the virtual machine is made with the tools of Debian, which this system lacks'
  return undefined
}

async function installTools(kind: Kind, yes: boolean): Promise<void> {
  const all = Object.entries({ ...tools, ...(kind === 'uml' ? umlTools : qemuTools) })
  const wanted = all.filter(([name]) => findCommand(name) === undefined).map(([, debianPackage]) => debianPackage)
  if (wanted.length === 0) return
  const what = `the Debian packages ${wanted.join(', ')}`
  if (!yes) {
    if (!process.stdin.isTTY) throw new Error(`${what} are missing; start with --yes to install them`)
    const terminal = createInterface({ input: process.stdin, output: process.stdout })
    const answer = await terminal.question(`Install ${what}? [y/N] `).finally(() => terminal.close())
    if (!/^y(es)?$/i.test(answer.trim())) throw new Error('nothing was installed')
  }
  say(`installing ${what}`)
  await withLists(() => aptInstall(wanted))
}

/** The machine has no network, so its servers are made here, in the cache. */
async function makeServers(): Promise<void> {
  await installPackages(say)
  await resolveServers(await serversOf({ cluster: 'node' }), { progress: say })
  for (const name of ['pause', 'hello'] as const) await buildProgram(name, say)
  await engineImage('postgres', { busybox: findCommand('busybox') ?? '', rqlited: '', minio: '' }, say)
}

async function runAll(kind: Kind, tests: readonly string[]): Promise<Counts> {
  if (kind !== 'emulated') await makeServers()
  const debian = await makeDebian(say)
  const folder = mkdtempSync(join(tmpdir(), 'svc-vm-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  if (kind === 'uml') cpSync(await makeKernel(say), join(folder, 'linux'))
  else for (const name of ['vmlinuz', 'initrd.img']) cpSync(join(debian.folder, name), join(folder, name))
  const payload = await makePayload(folder)
  const common = { kind, folder, root: debian.disk, payload, log: say }
  const unified = await runInMachine({ ...common, tests: tests.length > 0 ? tests : testsOf[kind] })
  if (kind !== 'kvm' || tests.length > 0) return unified
  const each = await runInMachine({ ...common, tests: ['test/one-machine/node.test.ts'], settings: oneTreeEach })
  return { passed: unified.passed + each.passed, failed: unified.failed + each.failed }
}

async function main(): Promise<Counts> {
  const { values, positionals } = parseArgs({
    options: {
      uml: { type: 'boolean' },
      emulate: { type: 'boolean' },
      yes: { type: 'boolean', short: 'y' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  })
  if (values.help === true) {
    process.stdout.write(help)
    process.exit(0)
  }
  const why = whyNot()
  if (why !== undefined) throw new Error(why)
  const kind: Kind =
    values.emulate === true ? 'emulated' : values.uml === true || !existsSync('/dev/kvm') ? 'uml' : 'kvm'
  await installTools(kind, values.yes ?? false)
  return runAll(kind, positionals)
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => process.exit(code))
const counts = await main().catch((error: unknown) => {
  console.error(`test:vm: ${error instanceof Error ? error.message : String(error)}`)
  return { passed: 0, failed: 1 }
})
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exit(counts.failed === 0 ? 0 : 1)
