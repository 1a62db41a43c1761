/** One boot of the virtual machine: it runs the given tests, reports on a serial line, and ends. */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setPriority } from 'node:os'

/** A lower priority than the other processes of the machine. */
const niceness = 10
/** Limits from the start to the first line, and to the end; an emulated machine gets `emulatedTimes` as long. */
const firstLineWithinMs = 90_000
const endWithinMs = 40 * 60_000
const emulatedTimes = 8
/** SVC_PATIENCE for a start in an emulated machine: 20 times as long as usual. */
const emulatedPatience = 20

export interface Boot {
  /** Contains `vmlinuz` and `initrd.img`. */
  readonly folder: string
  /** Disks; the machine's writes to them are discarded. */
  readonly root: string
  readonly payload: string
  readonly emulated: boolean
  readonly tests: readonly string[]
  /** Added to the kernel's command line. */
  readonly settings?: string
  /** Receives every line of the tests. */
  readonly tell: (line: string) => void
}

export interface Counts {
  passed: number
  failed: number
}

/** No external network: QEMU's own network answers only the machine, and nothing outside reaches it. */
function argumentsOf({ folder, root, payload, emulated, tests, settings = '' }: Boot): string[] {
  const disk = (file: string): string[] => ['-drive', `file=${file},if=virtio,format=raw,snapshot=on,cache=unsafe`]
  const patience = emulated ? emulatedPatience : 1
  const kernel = `root=/dev/vda rw console=ttyS0 panic=-1 quiet svc.tests=${tests.join(',')} svc.patience=${patience} ${settings}`
  // Under emulation the vector instructions of newer processors cost time: SHA-256 takes seven times as long.
  const processor = emulated ? ['-accel', 'tcg,thread=multi', '-cpu', 'qemu64'] : ['-accel', 'kvm', '-cpu', 'host']
  const serial = ['-serial', `file:${join(folder, 'console.log')}`, '-serial', 'stdio']
  return [
    ...processor,
    ...[
      '-smp',
      '2',
      '-m',
      '4096',
      '-display',
      'none',
      '-monitor',
      'none',
      '-no-reboot',
      '-nic',
      'user,restrict=on,model=virtio-net-pci',
    ],
    ...['-kernel', join(folder, 'vmlinuz'), '-initrd', join(folder, 'initrd.img'), '-append', kernel],
    ...disk(root),
    ...disk(payload),
    ...serial,
  ]
}

/** Kills the machine when a limit is exceeded, and then returns the reason. */
function limit(machine: ChildProcess, emulated: boolean): { began(): void; over(): string | undefined; clear(): void } {
  let why: string | undefined
  const times = emulated ? emulatedTimes : 1
  const after = (ms: number, reason: string): NodeJS.Timeout =>
    setTimeout(() => {
      why = reason
      machine.kill('SIGKILL')
    }, ms * times)
  const accelerator = emulated ? 'emulated' : "with this machine's KVM"
  const first = after(
    firstLineWithinMs,
    `the virtual machine did not come up ${accelerator}${emulated ? '' : '; --emulate goes without it'}`,
  )
  const end = after(endWithinMs, 'the tests did not end in time')
  const clear = (): void => [first, end].forEach((timer) => clearTimeout(timer))
  return { began: () => clearTimeout(first), over: () => why, clear }
}

/**
 * Resolves with the counts of the tests. Rejects with one sentence and the end of the console when the tests did not
 * finish.
 */
export async function runInMachine(boot: Boot): Promise<Counts> {
  const machine = spawn('qemu-system-x86_64', argumentsOf(boot), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: boot.folder },
  })
  const stop = (): void => void machine.kill('SIGKILL')
  process.once('exit', stop)
  if (machine.pid !== undefined) setPriority(machine.pid, niceness)
  const limits = limit(machine, boot.emulated)
  let counts: Counts | undefined
  createInterface({ input: machine.stdout }).on('line', (text) => {
    const line = text.replaceAll('\r', '')
    if (line.startsWith('vm: ')) limits.began()
    boot.tell(line)
    const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(line) ?? []
    if (passed !== undefined) counts = { passed: Number(passed), failed: Number(failed) }
  })
  await new Promise((resolve, reject) => machine.once('error', reject).once('close', resolve))
  limits.clear()
  process.removeListener('exit', stop)
  if (counts !== undefined && limits.over() === undefined) return counts
  const console = readFileSync(join(boot.folder, 'console.log'), 'utf8').trimEnd().split('\n').slice(-8).join('\n')
  throw new Error(
    `${limits.over() ?? 'the virtual machine ended before its tests did'}; the end of its console:\n${console}`,
  )
}
