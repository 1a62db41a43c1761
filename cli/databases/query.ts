/** `svc databases query`: one statement on a database, as a table or as JSON. */
import { Command } from 'commander'
import type { View } from '../../contract/operations.ts'
import { printTable } from '../output/table.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, clientOf, openSession, type Cli } from '../session/session.ts'
import type { Terminal } from '../session/terminal.ts'

interface QueryFlags {
  file?: string
  write?: boolean
}

export function query(cli: Cli): Command {
  return new Command('query')
    .description('run one statement on a database; it only reads unless --write is given')
    .argument('<database>', 'name of the database')
    .argument('[statement]', 'SQL, or a command of redis')
    .option('--file <file>', 'read the statement from a file (- for stdin)')
    .option('--write', 'let the statement change the database')
    .action(async (db: string, statement: string | undefined, flags: QueryFlags, called: Command) => {
      const session = await openSession(cli, called)
      const text = await statementOf(session.terminal, statement, flags.file)
      const client = await clientOf(session)
      const fields = { db, query: text, ...(flags.write === true ? { write: true } : {}) }
      const view = await client.call('databases.query', fields, { signal: session.signal })
      await answer(session, view, async () => await show(session.terminal, view))
    })
}

async function statementOf(terminal: Terminal, statement: string | undefined, file: string | undefined) {
  if ((statement === undefined) === (file === undefined))
    throw new CliError('usage', 'give the statement, or --file with a file that holds it')
  if (statement !== undefined) return statement
  if (file === '-') return await terminal.readInput()
  const { readFile } = await import('node:fs/promises')
  return await readFile(String(file), 'utf8').catch((error: unknown) => {
    throw new CliError('usage', `${file} cannot be read`, error)
  })
}

async function show(terminal: Terminal, { columns, rows, truncated, affected }: View<'databases.query'>) {
  if (rows.length > 0) {
    const head = columns.map(({ name }) => name)
    await printTable(
      terminal,
      head,
      rows.map((row) => row.map((value) => (value === null ? 'NULL' : String(value)))),
    )
  }
  if (truncated) terminal.note(`only the first ${rows.length} rows; there are more`)
  else if (affected !== undefined) terminal.note(affected === 1 ? '1 row changed' : `${affected} rows changed`)
  else if (rows.length === 0) terminal.note(columns.length === 0 ? 'done' : 'no rows')
}
