/**
 * Every list of the command line: a table as wide as the terminal, chosen and sorted columns, names alone, or JSON
 * (docs/reference/command-line.md#lists).
 */
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { CliError } from '../session/exit-codes.ts'
import { missingPlace } from '../../client/places.ts'
import { ownerQuery, projectNames } from '../session/place.ts'
import { answer, type Session } from '../session/session.ts'
import { printTable } from './table.ts'

/** Columns by their headings: the text of an item. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string>>

export interface List<Item> {
  readonly items: readonly Item[]
  readonly columns: Columns<Item>
  /** Columns that are shown only where they are asked for. */
  readonly more?: Columns<Item>
  /** The column that `-q` prints, where it is not the first. */
  readonly named?: string
  /** Said when there are no items. */
  readonly none: string
  /**
   * Reads the names of projects, which a table of several shows in its column `project`, whose texts are IDs, and
   * whether the place exists that has no items.
   */
  readonly client?: Client
}

export interface ListFlags {
  quiet?: boolean
  columns?: string
  sort?: string
}

/** Gives a command the flags of every list. */
export function listFlags(command: Command): Command {
  return command
    .option('-q, --quiet', 'names alone, one a line')
    .option('--columns <names>', 'columns to show, in this order, separated by commas')
    .option('--sort <column>', 'column to sort by; with - before it, backwards')
}

/** Prints the answer. @throws CliError `usage` for an unknown column, and for a table that is asked for as JSON. */
export async function answerList<View, Item>(
  session: Session,
  view: View,
  flags: ListFlags,
  given: List<Item>,
): Promise<void> {
  const { terminal } = session
  const shaped = flags.quiet === true || flags.columns !== undefined || flags.sort !== undefined
  if (shaped && session.flags.json === true)
    throw new CliError('usage', '--json prints the whole answer; -q, --columns and --sort are for tables')
  const { client } = given
  const missing =
    given.items.length > 0 || client === undefined
      ? undefined
      : await missingPlace(client, await ownerQuery(session, client), session.signal)
  await answer(session, view, async () => {
    const list = await withProjectNames(session, flags, given)
    const { named = Object.keys(list.columns)[0] ?? '' } = list
    const shown = flags.columns === undefined ? list.columns : chosen(list, flags.columns.split(','))
    const items = flags.sort === undefined ? list.items : sorted(list, flags.sort)
    if (flags.quiet === true) {
      for (const item of items) terminal.line(columnOf(list, named)[1](item))
    } else if (items.length === 0) {
      if (missing === undefined) terminal.note(list.none)
    } else {
      const rows = items.map((item) => Object.values(shown).map((textOf) => textOf(item)))
      await printTable(terminal, Object.keys(shown).map(wordsOf), rows, wordsOf(named))
    }
  })
  if (missing !== undefined) terminal.note(missing)
}

/** The list with the names of projects, where it is printed or sorted by them and has more than one. */
async function withProjectNames<Item>(
  session: Session,
  { quiet, columns, sort }: ListFlags,
  list: List<Item>,
): Promise<List<Item>> {
  const { client, items, more = {} } = list
  const idOf = list.columns['project'] ?? more['project']
  const printed = quiet === true ? [] : (columns?.split(',') ?? Object.keys(list.columns))
  const isAsked = [...printed, sort?.replace(/^-/, '') ?? ''].some((name) => plain(name) === 'project')
  if (client === undefined || idOf === undefined || !isAsked) return list
  if (new Set(items.map(idOf).filter((id) => id !== '')).size < 2) return list
  const nameOf = await projectNames(session, client)
  const project = (item: Item): string => nameOf(idOf(item))
  const named = (of: Columns<Item>): Columns<Item> => ('project' in of ? { ...of, project } : of)
  return { ...list, columns: named(list.columns), more: named(more) }
}

const chosen = <Item>(list: List<Item>, names: readonly string[]): Columns<Item> =>
  Object.fromEntries(names.map((name) => columnOf(list, name)))

function sorted<Item>(list: List<Item>, by: string): readonly Item[] {
  const [, textOf] = columnOf(list, by.replace(/^-/, ''))
  const { compare } = new Intl.Collator('en', { numeric: true })
  const upwards = list.items.toSorted((one, other) => compare(textOf(one), textOf(other)))
  return by.startsWith('-') ? upwards.toReversed() : upwards
}

/** `cpuReservedMillis`, the field of an answer, is headed CPU RESERVED MILLIS. */
const wordsOf = (heading: string): string => heading.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')

const plain = (heading: string): string => heading.replaceAll(' ', '').toLowerCase()

/** Headings are matched as they are printed, and as the fields that some are; whatever their case. */
function columnOf<Item>({ columns, more }: List<Item>, name: string): [heading: string, (item: Item) => string] {
  const all = { ...columns, ...more }
  const found = Object.entries(all).find(([heading]) => plain(heading) === plain(name))
  if (found !== undefined) return found
  const headings = Object.keys(all).filter((heading) => heading !== '')
  throw new CliError('usage', `there is no column ${name}; the columns are ${headings.join(', ')}`)
}
