/** Writes what was measured, and how busy the machine was meanwhile, to bench/results. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { asMarkdown, isMet, type Line } from './rig/line.ts'

export interface BenchRun {
  readonly began: Date
  readonly cluster: string
  readonly lines: readonly Line[]
  /** One-minute load average before and after each bench; other work on the machine shows here. */
  readonly load: readonly LoadNote[]
}

export interface LoadNote {
  readonly bench: string
  readonly before: number
  readonly after: number
}

export const loadNow = (): number => loadavg()[0] ?? 0

/** Answers the path of the readable file. */
export function writeReport(run: BenchRun): string {
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, run.began.toISOString().slice(0, 16).replaceAll(':', ''))
  const machine = {
    cpu: cpus()[0]?.model ?? '',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  }
  const commit = presentCommit()
  const lines = run.lines.map((line) => ({ ...line, ok: isMet(line) }))
  writeFileSync(
    `${path}.json`,
    `${JSON.stringify({ began: run.began, commit, cluster: run.cluster, machine, load: run.load, lines }, null, 1)}\n`,
  )
  const loads = run.load.map(({ bench, before, after }) => `| ${bench} | ${before.toFixed(2)} | ${after.toFixed(2)} |`)
  const text = [
    `# Bench of ${run.began.toISOString().slice(0, 16)} UTC`,
    `Commit ${commit}, ${run.cluster} cluster, ${machine.cores} cores (${machine.cpu}), Node ${machine.node}.`,
    asMarkdown(run.lines),
    'One-minute load average of the machine, the benches themselves included:',
    ['| bench | before | after |', '| --- | --- | --- |', ...loads].join('\n'),
  ]
  writeFileSync(`${path}.md`, `${text.join('\n\n')}\n`)
  return `${path}.md`
}

function presentCommit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    }).trim()
  } catch {
    return 'unknown' // not a clone
  }
}
