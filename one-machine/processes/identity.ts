/** Identifies a process by its pid and start time, since pids are reused. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

export interface ProcessIdentity {
  readonly pid: number
  /** Opaque; constant for the life of a process, and different for the next process with its pid. */
  readonly began: string
}

/** Field 22 of /proc/PID/stat; fields are counted behind the name, which may hold spaces and brackets. */
function beganOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${fields[19]}`
  } catch {
    return undefined
  }
}

function beganElsewhere(pid: number): string | undefined {
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
    return started.trim() || undefined
  } catch {
    return undefined
  }
}

/** The identity of a running process; undefined when there is none with this pid (a zombie is none). */
export function identify(pid: number): ProcessIdentity | undefined {
  const began = existsSync('/proc/self/stat') ? beganOnLinux(pid) : beganElsewhere(pid)
  return began === undefined ? undefined : { pid, began }
}

export function isRunning(process: ProcessIdentity): boolean {
  return identify(process.pid)?.began === process.began
}
