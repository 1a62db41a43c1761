/** One boot of the virtual machine: it runs the given tests, reports on a serial line, and ends. */
import { spawn, type ChildProcess } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import { setPriority } from 'node:os'

/** A lower priority than the other processes of the machine. */
const niceness = 10
/** Limits from the start to the first line, and to the end. */
const firstLineWithinMs = 90_000
const endWithinMs = 40 * 60_000
const memory = 4096 // MiB

/** QEMU with KVM, QEMU without, or user-mode Linux: a kernel that is a program, with one processor. */
export type Kind = 'kvm' | 'emulated' | 'uml'

/** How often the limits above, and SVC_PATIENCE for a start inside. */
const kinds: Record<Kind, { times: number; patience: number; failed: string }> = {
  kvm: { times: 1, patience: 1, failed: "with this machine's KVM; --uml and --emulate go without it" },
  emulated: { times: 8, patience: 20, failed: 'emulated' },
  uml: { times: 2, patience: 20, failed: 'as user-mode Linux' },
}

export interface Boot {
  readonly kind: Kind
  /** Contains `vmlinuz` and `initrd.img`, or for user-mode Linux `linux`; receives the console's output. */
  readonly folder: string
  /** Disks; the machine's writes to them are discarded. */
  readonly root: string
  readonly payload: string
  readonly tests: readonly string[]
  /** Added to the kernel's command line. */
  readonly settings?: string
  /** Receives every line of the tests. */
  readonly log: (line: string) => void
}

export interface Counts {
  passed: number
  failed: number
}

function settingsOf({ kind, tests, settings = '' }: Boot): string {
  return `rw panic=-1 quiet svc.tests=${tests.join(',')} svc.patience=${kinds[kind].patience} ${settings}`
}

/** No external network: QEMU's own network answers only the machine, and nothing outside reaches it. */
function qemuArguments(boot: Boot): string[] {
  const { kind, folder, root, payload } = boot
  const disk = (file: string): string[] => ['-drive', `file=${file},if=virtio,format=raw,snapshot=on,cache=unsafe`]
  // Under emulation the vector instructions of newer processors cost time: SHA-256 takes seven times as long.
  const processor =
    kind === 'emulated' ? ['-accel', 'tcg,thread=multi', '-cpu', 'qemu64'] : ['-accel', 'kvm', '-cpu', 'host']
  return [
    ...processor,
    ...[
      '-smp',
      '2',
      '-m',
      String(memory),
      '-display',
      'none',
      '-monitor',
      'none',
      '-no-reboot',
      '-nic',
      'user,restrict=on,model=virtio-net-pci',
    ],
    ...['-kernel', join(folder, 'vmlinuz'), '-initrd', join(folder, 'initrd.img')],
    ...['-append', `root=/dev/vda console=ttyS0 ${settingsOf(boot)}`],
    ...disk(root),
    ...disk(payload),
    ...['-serial', `file:${consoleOf(boot)}`, '-serial', 'stdio'],
  ]
}

/** No network at all. The first console goes to the third stream, the second serial line to the first. */
function umlArguments(boot: Boot): string[] {
  const { folder, root, payload } = boot
  const disk = (name: string, file: string): string => `${name}=${join(folder, `${name}.writes`)},${file}`
  return [
    ...[`mem=${memory}M`, `uml_dir=${folder}`, 'root=/dev/ubda', disk('ubd0', root), disk('ubd1', payload)],
    ...['con=null', 'con0=null,fd:2', 'ssl=null', 'ssl1=null,fd:1', 'console=tty0'],
    'sysctl.kernel.io_uring_disabled=2', // the kernel panics when a process with such a ring ends (6.12.117)
    ...settingsOf(boot).split(' '),
  ]
}

const consoleOf = ({ folder }: Boot): string => join(folder, 'console.log')

function startMachine(boot: Boot): ChildProcess & { stdout: Readable } {
  const uml = boot.kind === 'uml'
  const [command, words] = uml
    ? [join(boot.folder, 'linux'), umlArguments(boot)]
    : ['qemu-system-x86_64', qemuArguments(boot)]
  const machine = spawn(command, words, {
    stdio: ['ignore', 'pipe', uml ? openSync(consoleOf(boot), 'w') : 'inherit'],
    // User-mode Linux keeps its memory in a file there.
    env: { ...process.env, TMPDIR: uml ? '/dev/shm' : boot.folder },
  })
  if (machine.stdout === null) throw new Error('the virtual machine has no output')
  return Object.assign(machine, { stdout: machine.stdout })
}

/** Kills the machine when a limit is exceeded, and then returns the reason. */
function limit(machine: ChildProcess, kind: Kind): { began(): void; over(): string | undefined; clear(): void } {
  let why: string | undefined
  const { times, failed } = kinds[kind]
  const after = (ms: number, reason: string): NodeJS.Timeout =>
    setTimeout(() => {
      why = reason
      machine.kill('SIGKILL')
    }, ms * times)
  const first = after(firstLineWithinMs, `the virtual machine did not come up ${failed}`)
  const end = after(endWithinMs, 'the tests did not end in time')
  const clear = (): void => [first, end].forEach((timer) => clearTimeout(timer))
  return { began: () => clearTimeout(first), over: () => why, clear }
}

/**
 * Resolves with the counts of the tests. Rejects with one sentence and the end of the console when the tests did not
 * finish.
 */
export async function runInMachine(boot: Boot): Promise<Counts> {
  const machine = startMachine(boot)
  const stop = (): void => void machine.kill('SIGKILL')
  process.prependOnceListener('exit', stop) // before its folder is removed
  if (machine.pid !== undefined) setPriority(machine.pid, niceness)
  const limits = limit(machine, boot.kind)
  let counts: Counts | undefined
  createInterface({ input: machine.stdout }).on('line', (text) => {
    const line = text.replaceAll('\r', '')
    if (line.startsWith('vm: ')) limits.began()
    boot.log(line)
    const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(line) ?? []
    if (passed !== undefined) counts = { passed: Number(passed), failed: Number(failed) }
  })
  await new Promise((resolve, reject) => machine.once('error', reject).once('close', resolve))
  limits.clear()
  process.removeListener('exit', stop)
  if (counts !== undefined && limits.over() === undefined) return counts
  const console = readFileSync(consoleOf(boot), 'utf8').trimEnd().split('\n').slice(-8).join('\n')
  throw new Error(
    `${limits.over() ?? 'the virtual machine ended before its tests did'}; the end of its console:\n${console}`,
  )
}
