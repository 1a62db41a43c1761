/** Tables for people: padded columns without borders, headings in capitals; nothing when there are no rows. */
import { plainText, type Terminal } from '../session/terminal.ts'

/** Wide characters count as the two columns they take. */
export async function printTable(
  terminal: Terminal,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const { default: Table } = await import('cli-table3')
  const bare = [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
  ]
  const chars = Object.fromEntries([...bare, 'mid', 'mid-mid', 'right', 'right-mid'].map((name) => [name, '']))
  const table = new Table({
    chars: { ...chars, middle: '   ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  })
  const cellText = (cell: string, column: number): string => {
    const text = plainText(cell).replaceAll('\n', ' ')
    return ['state', 'phase'].includes(head[column] ?? '') ? stateText(terminal, text) : text
  }
  table.push(
    head.map((title) => title.toUpperCase()),
    ...rows.map((row) => row.map(cellText)),
  )
  for (const [index, line] of table.toString().split('\n').entries()) {
    const text = line.trimEnd()
    terminal.line(index === 0 ? terminal.colors.bold(text) : text)
  }
}

/** Names and their values, one a line; empty values are left out. */
export function printPairs(terminal: Terminal, pairs: readonly (readonly [string, string | undefined])[]): void {
  const given = pairs.filter(([, value]) => value !== undefined && value !== '')
  const width = Math.max(0, ...given.map(([name]) => name.length)) + 2
  for (const [name, value = ''] of given) {
    terminal.line(`${terminal.colors.dim(`${name}:`.padEnd(width))}${plainText(value).replaceAll('\n', ' ')}`)
  }
}

/** A state in the colour of its meaning. */
function stateText({ colors }: Terminal, state: string): string {
  if (['ready', 'Succeeded', 'Available'].includes(state)) return colors.green(state)
  if (['failed', 'Failed'].includes(state)) return colors.red(state)
  return ['pending', 'deleting', 'Running', 'RollingOut'].includes(state) ? colors.yellow(state) : state
}
