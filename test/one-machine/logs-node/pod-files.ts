/** Files of pods as a container runtime and the kubelet write, rotate and remove them. */
import { appendFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const namespace = 'proj-0a1b2c3d-production'

export interface PodFile {
  readonly pod: string
  /** Whole lines of this moment, one nanosecond apart. */
  write(...lines: string[]): void
  /** The same of another moment. */
  writeAt(at: Date, ...lines: string[]): void
  /** Pieces of one line, the last of which ends it. */
  writePieces(...pieces: string[]): void
  /** The kubelet does so at 10 MiB. */
  rotate(): void
  /** With the pod. */
  remove(): void
}

/** @param folder the node's `/var/log/pods` */
export function podFile(folder: string, service: string, suffix = 'x7k2p'): PodFile {
  const pod = `${service}-6d4cf56db6-${suffix}`
  const file = join(folder, `${namespace}_${pod}_0f0e0d0c-0b0a-4908-8706-050403020100`, 'app', '0.log')
  mkdirSync(dirname(file), { recursive: true })
  let written = 0
  const append = (lines: readonly string[], tagOf: (index: number) => string, at = new Date()): void => {
    const second = at.toISOString().slice(0, -1) // milliseconds
    const rows = lines.map((line, index) => {
      written += 1 // lines of two writes within a millisecond keep their order
      return `${second}${String(written % 1_000_000).padStart(6, '0')}Z stdout ${tagOf(index)} ${line}\n`
    })
    appendFileSync(file, rows.join(''))
  }
  let rotations = 0
  return {
    pod,
    write: (...lines) => append(lines, () => 'F'),
    writeAt: (at, ...lines) => append(lines, () => 'F', at),
    writePieces: (...pieces) => append(pieces, (index) => (index === pieces.length - 1 ? 'F' : 'P')),
    rotate: () => renameSync(file, `${file}.20261124-${String(++rotations).padStart(6, '0')}`),
    remove: () => rmSync(dirname(dirname(file)), { recursive: true }),
  }
}
