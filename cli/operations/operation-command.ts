/** Commands that are one operation each, made from rows of data: what is asked for, and what is printed. */
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Client } from '../../client/client.ts'
import type { OperationId } from '../../contract/operations.ts'
import { defined } from '../../contract/defined.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { printPairs } from '../output/table.ts'
import { detailText } from '../output/value-text.ts'
import { CliError } from '../session/exit-codes.ts'
import { fileText, pathText, wholeNumber } from '../session/flags.ts'
import { openDoor, type DoorFlags } from '../session/password-session.ts'
import { findPlace, findProjectId } from '../session/place.ts'
import { answer, clientOf, confirmDelete, openSession, type Cli, type Session } from '../session/session.ts'
import type { Terminal } from '../session/terminal.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'

/** One command of one operation. Its description is that of the operation unless the row has words of its own. */
export interface OperationRow {
  /** The last word of the command: `list`. */
  readonly name: string
  readonly id: OperationId
  readonly description: string
  /** In order: `<app>` or `[app]` as shown, the words for it, and the field that it fills. */
  readonly args?: readonly (readonly [shown: string, words: string, field: string])[]
  /** The field that what stands behind `=` in the first argument fills, as a flag for it would. */
  readonly assigns?: string
  readonly options?: readonly OperationOption[]
  /** The flags of its place: -p alone, -p and -e, or -p with an optional -e. */
  readonly place?: 'project' | 'environment' | 'project, maybe environment'
  /** What is deleted, in a word, and the field with its name, which is asked for and sent as `confirmName`. */
  readonly deletes?: readonly [noun: string, field: string]
  /** Only a signed-in admin may do it, never a token: the password is asked for. */
  readonly asAdmin?: true
  /** Fields that the command itself stands for. */
  readonly fixed?: Readonly<Record<string, unknown>>
  /** Columns of the answer's items, or of the list of that name. */
  readonly columns?: readonly string[]
  readonly list?: string
  /** The words of a column whose values are records. */
  readonly texts?: Readonly<Record<string, (value: unknown) => string>>
  /** The column with what other commands take, where it is not the first. */
  readonly named?: string
  /** The list is lines of a log: printed whole, one after the other. */
  readonly isLog?: true
  /** Said when nothing but `ok` comes back; a function makes it of the answer and what was asked for. */
  readonly done?: string | ((view: Readonly<Fields>, params: Readonly<Fields>) => string)
  /** Why the answer is a failure: the command ends with 1 once it is printed. */
  readonly failure?: (view: Readonly<Fields>) => string | undefined
  /** What the answer does not say: found out before the call, and said after it on standard error. */
  readonly remark?: (session: Session, client: Client, params: Readonly<Fields>) => Promise<string | undefined>
  /** Refused as wrong usage without one of its options. */
  readonly needsOption?: true
  /** For what takes time: what `--wait` waits for, and how. */
  readonly wait?: readonly [words: string, follow: Follow]
}

/** Performs `act`, which calls the operation with `more` fields, and waits for the end of what it began. */
export type Follow = (
  session: Session,
  client: Client,
  called: { params: Readonly<Fields>; flags: WaitFlags; act: (more?: Fields) => Promise<unknown> },
) => Promise<void>

export interface OperationOption {
  readonly flags: string
  readonly words: string
  /** The field where it is not the name of the flag in camel case. */
  readonly field?: string
  readonly choices?: readonly string[]
  /**
   * `secret` and `file` are read from `@file`, or with `-` from standard input, so that no list of processes shows the
   * text; a `file` can be named by its path alone as well.
   */
  readonly kind?: 'text' | 'number' | 'switch' | 'secret' | 'file'
  readonly required?: true
}

type Fields = Record<string, unknown>
/** What commander gives of the options: a row that asks for no admin, or does not wait, neither has nor reads those. */
type Flags = Fields & DoorFlags & WaitFlags & ListFlags

/** Adds the commands of the rows to a group. */
export function addOperations(group: Command, rows: readonly OperationRow[], cli: Cli): Command {
  for (const row of rows) group.addCommand(operationCommand(row, cli))
  return group
}

/** The one command of a row. */
export function operationCommand(row: OperationRow, cli: Cli): Command {
  const command = new Command(row.name).description(row.description)
  if (row.name === 'list') command.alias('ls')
  for (const [shown, words] of row.args ?? []) command.argument(shown, words)
  for (const option of row.options ?? []) command.addOption(optionOf(option))
  if (row.asAdmin === true) {
    command.option('--as <admin>', 'admin to sign in as', 'admin')
    command.option('--password-stdin', "read the admin's password from standard input instead of asking")
  }
  if (row.columns !== undefined && row.isLog !== true) listFlags(command)
  if (row.wait !== undefined) command.option('--wait', row.wait[0]).option(...timeoutFlag)
  return command.action(async (...called: unknown[]) => {
    const flags = called.at(-2) as Flags
    const session = await openSession(cli, called.at(-1) as Command) // commander hands itself over last
    await run(session, row, called.slice(0, -2), flags)
  })
}

function optionOf({ flags, words, choices, kind = 'text', required }: OperationOption): Option {
  const option = new Option(flags, kind === 'secret' || kind === 'file' ? `${words} (@FILE, or - for stdin)` : words)
  if (choices !== undefined) option.choices([...choices])
  if (kind === 'number') option.argParser(wholeNumber)
  if (kind === 'switch') option.argParser(switchOf)
  return required === true ? option.makeOptionMandatory() : option
}

function switchOf(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new InvalidArgumentError('It must be on or off.')
  return text === 'on'
}

async function run(session: Session, row: OperationRow, given: readonly unknown[], flags: Flags): Promise<void> {
  const client = row.asAdmin === true ? (await openDoor(session, flags)).client : await clientOf(session)
  const params: Fields = {
    ...row.fixed,
    ...(await placeOf(session, client, row)),
    ...(await fieldsOf(session, row, given, flags)),
  }
  if (row.deletes !== undefined) {
    const [noun, field] = row.deletes
    const name = String(params[field])
    const where = async () => (typeof params['project'] === 'string' ? `project ${params['project']}` : '')
    await confirmDelete(session, { kind: noun, name, where })
    params['confirmName'] = name
  }
  // The service judges the fields: what is missing or wrong comes back in its words.
  const act = async (more: Fields = {}) => await call(session, client, row.id, { ...params, ...more })
  if (row.wait !== undefined && flags.wait === true) return await row.wait[1](session, client, { params, flags, act })
  const remark = await row.remark?.(session, client, params)
  const view = await act()
  const items = view[row.list ?? 'items']
  if (!Array.isArray(items) || row.columns === undefined) {
    await answer(session, view, () => show(session.terminal, row, view, params))
    if (remark !== undefined) session.terminal.note(remark)
    const failure = row.failure?.(view)
    if (failure !== undefined) throw new CliError('error', failure)
    return
  }
  await answerItems(session, client, row, view, items as Fields[], flags)
}

/** @throws CliError `error` where it was only saved: an older server ignores `deploy`. */
async function call(session: Session, client: Client, id: OperationId, params: Fields): Promise<Fields> {
  const view = (await client.call(id, params, { signal: session.signal })) as Fields
  // docs/reference/command-line.md#waiting
  if (params['deploy'] === true && view['deployed'] !== true)
    throw new CliError('error', 'it was saved; the service did not deploy it')
  return view
}

const entryOf = (field: string, value: unknown): [string, unknown][] => (value === undefined ? [] : [[field, value]])

async function placeOf(session: Session, client: Client, { place }: OperationRow): Promise<Fields> {
  if (place === undefined) return {}
  if (place === 'environment') return { ...(await findPlace(session, client)) }
  const project = await findProjectId(session, client)
  if (project === undefined) throw new CliError('usage', 'say which project with -p')
  const { environment } = session.target()
  return place === 'project' || environment === undefined ? { project } : { project, environment }
}

/** What arguments and flags say. @throws CliError `usage` where both give the value of an assignment. */
async function fieldsOf(
  session: Session,
  row: OperationRow,
  given: readonly unknown[],
  flags: Fields,
): Promise<Fields> {
  const { args = [], assigns } = row
  const options = await optionsOf(session, row, flags)
  if (row.needsOption === true && Object.keys(options).length === 0 && flags.wait !== true)
    throw new CliError('usage', `say what to change; see \`svc ${row.id.split('.')[0]} ${row.name} --help\``)
  const named = Object.fromEntries(args.flatMap(([, , field], at) => entryOf(field, given[at])))
  const [, name, value] = /^([^=]+)=([^]*)$/.exec(String(given[0])) ?? []
  if (assigns === undefined || name === undefined) return { ...named, ...options }
  if (options[assigns] !== undefined) throw new CliError('usage', `give the ${assigns} behind = or by a flag, not both`)
  // As `svc env set` does it: what stands in the arguments shows in the list of processes.
  const isRead = value === '-' && options['secret'] === true
  const text = isRead ? (await session.terminal.readInput()).replace(/\r?\n$/, '') : value
  return { ...named, ...options, [args[0]?.[2] ?? '']: name, [assigns]: text }
}

async function optionsOf({ terminal }: Session, { options = [] }: OperationRow, flags: Fields): Promise<Fields> {
  const entries: [string, unknown][] = []
  for (const option of options) {
    const name = optionOf(option).attributeName()
    const value = flags[name]
    const read = option.kind === 'file' ? pathText : option.kind === 'secret' ? fileText : undefined
    const field = option.field ?? name
    const text = read !== undefined && typeof value === 'string' ? await read(terminal, option.flags, value) : value
    entries.push(...entryOf(field, option.kind === 'secret' && typeof text === 'string' ? text.trimEnd() : text))
  }
  return Object.fromEntries(entries)
}

async function answerItems(
  session: Session,
  client: Client,
  { columns = [], texts: own = {}, named, isLog }: OperationRow,
  view: Fields,
  items: readonly Fields[],
  flags: ListFlags,
): Promise<void> {
  if (isLog === true)
    return await answer(session, view, () => {
      for (const item of items) session.terminal.line(columns.map((name) => detailText(item[name])).join(' '))
    })
  const texts = Object.fromEntries(
    columns.map((name) => [name, (item: Fields) => (own[name] ?? detailText)(item[name])]),
  )
  // Where an answer has the name in a column of its own, the ID stays beside it.
  const namer = columns.includes('displayName') ? {} : { client }
  const list = { items, columns: texts, none: 'nothing here', ...namer, ...defined({ named }) }
  await answerList(session, view, flags, list)
}

function show(terminal: Terminal, { done = 'Done' }: OperationRow, view: Fields, params: Fields): void {
  if (typeof done === 'function') return terminal.line(done(view, params))
  const said = Object.entries(view).filter(([name]) => name !== 'ok')
  if (said.length === 0) return terminal.line(done)
  printPairs(terminal, said.flatMap(pairsOf))
}

/** The fields of a nested record have lines of their own: `item id`. */
const pairsOf = ([name, value]: readonly [string, unknown]): (readonly [string, string])[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).map(([field, inner]) => [`${name} ${field}`, detailText(inner)])
    : [[name, detailText(value)]]
