/** What a person may have meant who named a service, database or bucket that there is not. */
import type { Command } from 'commander'
import type { Cli } from '../session/session.ts'
import { listNames } from './complete.ts'

/** A name that differs in more than this many letters was not meant; of short names, fewer may differ. */
const mostEdits = 3

/** `did you mean web?`, or '' when every name of the command and of -p is there or none is near. */
export async function suggestName(cli: Cli, program: Command, command: Command): Promise<string> {
  const given: [asked: string, typed: unknown][] = [
    ...command.registeredArguments.map((it, at): [string, unknown] => [it.name(), command.processedArgs[at]]),
    ['--project', program.opts()['project']],
  ]
  for (const [asked, typed] of given) {
    if (typeof typed !== 'string') continue
    const names = await listNames(cli, program, asked)
    if (names.includes(typed)) continue
    const near = nearest(typed, names)
    if (near !== undefined) return `did you mean ${near}?`
  }
  return ''
}

function nearest(typed: string, names: readonly string[]): string | undefined {
  const most = Math.min(mostEdits, Math.ceil(typed.length / 3))
  const ranked = names
    .map((name) => ({ name, edits: editsBetween(typed, name) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((one, other) => one.edits - other.edits)
  return ranked[0]?.name
}

/** Letters to insert, delete, replace, or swap with their neighbour. */
function editsBetween(one: string, other: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row]
    for (let at = 1; at <= other.length; at += 1) {
      const same = one[row - 1] === other[at - 1]
      const edits = [(last?.[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (last?.[at - 1] ?? 0) + (same ? 0 : 1)]
      const swapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      next.push(Math.min(...edits, ...(swapped ? [(before?.[at - 2] ?? 0) + 1] : [])))
    }
    ;[before, last] = [last, next]
  }
  return last?.at(-1) ?? 0
}
