/** One line of the results: what was done, what it is held against, and whether the goal is met. */
import Table from 'cli-table3'

export interface Line {
  readonly bench: number
  /** What svc did, with its measurement. */
  readonly work: string
  /** What it is compared with, measured in the same run, or the bound it must keep. */
  readonly peer: string
  /** svc's measurement as a multiple of the peer's. */
  readonly ratio: number
  readonly goal: Goal
  /** The single measurements, for the JSON file. */
  readonly samples?: Readonly<Record<string, readonly number[]>>
}

export type Goal = { readonly atMost: number } | { readonly atLeast: number }

export function isMet({ ratio, goal }: Line): boolean {
  return 'atMost' in goal ? ratio <= goal.atMost : ratio >= goal.atLeast
}

export const describeGoal = (goal: Goal): string => ('atMost' in goal ? `<= ${goal.atMost}x` : `>= ${goal.atLeast}x`)

export const describeRatio = (ratio: number): string => `${ratio.toFixed(ratio < 0.095 ? 3 : 2)}x`

const columns = (line: Line): string[] => [
  line.work,
  line.peer,
  describeRatio(line.ratio),
  describeGoal(line.goal),
  isMet(line) ? 'ok' : 'miss',
]

const head = ['work', 'peer', 'ratio', 'goal', '']

export function asTable(lines: readonly Line[]): string {
  const table = new Table({ head, style: { head: [], border: [] } })
  for (const line of lines) table.push(columns(line))
  return table.toString()
}

export function asMarkdown(lines: readonly Line[]): string {
  const rows = [head, head.map(() => '---'), ...lines.map(columns)]
  return rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')
}
