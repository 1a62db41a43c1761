/**
 * `npm run test:vm`: the real node in a virtual machine with Debian's kernel and the unified tree of cgroups, then in
 * one with a separate tree for each controller. The last line is `N passed, N failed`.
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
import { runInMachine, type Counts } from './machine.ts'

const help = `Usage: npm run test:vm -- [--emulate] [--yes] [TEST…]

Boots Debian 12 in QEMU, without any way out of it, and runs tests of the real node there, as root.
It needs root on Debian or Ubuntu, /dev/kvm, 20 GiB of free space and 6 GiB of memory.

  --emulate   without KVM: only the tests of cgroups, since a whole node takes too long then
  --yes       install the missing Debian packages without asking
  TEST        files to run there instead of the usual ones
`
const tools: Record<string, string> = {
  'qemu-system-x86_64': 'qemu-system-x86',
  mmdebstrap: 'mmdebstrap',
  mke2fs: 'e2fsprogs',
}
const quick = ['test/vm/cgroups.test.ts', 'test/one-machine/node/can-have.test.ts']
const whole = [...quick, 'test/vm/start.test.ts', 'test/one-machine/node.test.ts']
const oneTreeEach = 'systemd.unified_cgroup_hierarchy=0'

const say = (line: string): void => console.log(line)

function whyNot(emulate: boolean): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return 'the virtual machine is one of Linux on x86-64, and this machine is not'
  if (process.getuid?.() !== 0) return 'making the disk of the virtual machine needs root'
  if (!aptIsHere()) return 'the virtual machine is made with the tools of Debian, which this system lacks'
  if (!emulate && !existsSync('/dev/kvm'))
    return 'there is no KVM here (/dev/kvm); with --emulate the tests of cgroups run without it'
  return undefined
}

async function installTools(yes: boolean): Promise<void> {
  const missing = Object.keys(tools).filter((name) => findCommand(name) === undefined)
  if (missing.length === 0) return
  const wanted = missing.map((name) => tools[name] ?? name)
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

async function runAll(emulated: boolean, tests: readonly string[]): Promise<Counts> {
  if (!emulated) await makeServers()
  const debian = await makeDebian(say)
  const folder = mkdtempSync(join(tmpdir(), 'svc-vm-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['vmlinuz', 'initrd.img']) cpSync(join(debian.folder, name), join(folder, name))
  const payload = await makePayload(folder)
  const common = { folder, root: debian.disk, payload, emulated, tell: say }
  const unified = await runInMachine({ ...common, tests: tests.length > 0 ? tests : emulated ? quick : whole })
  if (emulated || tests.length > 0) return unified
  const each = await runInMachine({ ...common, tests: ['test/one-machine/node.test.ts'], settings: oneTreeEach })
  return { passed: unified.passed + each.passed, failed: unified.failed + each.failed }
}

async function main(): Promise<Counts> {
  const { values, positionals } = parseArgs({
    options: {
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
  const emulate = values.emulate ?? false
  const why = whyNot(emulate)
  if (why !== undefined) throw new Error(why)
  await installTools(values.yes ?? false)
  return runAll(emulate, positionals)
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
