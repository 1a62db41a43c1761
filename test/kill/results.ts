/** The results file: one line of JSON per kill, so that a range of seeds can be resumed. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Kill } from './kills.ts'

export interface Result extends Pick<Kill, 'seed' | 'victims' | 'manner' | 'death' | 'terminate' | 'pod'> {
  at: string
  surface: string
  /** Number of killed processes. */
  died: number
  /** Number of operations under way at the kill. */
  goingOn: number
  /** Set by the check after the kill. */
  outcome: 'held' | 'broken'
  breaches: readonly string[]
}

export interface Results {
  append(results: readonly Result[]): void
  /** Whether this seed has held in an earlier run. */
  held(seed: number, surface: string): boolean
}

export function openResults(file: string): Results {
  mkdirSync(dirname(file), { recursive: true })
  const before = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Result)
    : []
  const held = new Set(
    before.filter((result) => result.outcome === 'held').map(({ seed, surface }) => `${surface} ${seed}`),
  )
  return {
    append: (results) => appendFileSync(file, results.map((result) => `${JSON.stringify(result)}\n`).join('')),
    held: (seed, surface) => held.has(`${surface} ${seed}`),
  }
}
