/** `svc databases connect` and `set-login`: servers that exist elsewhere. */
import { Command, Option } from 'commander'
import { defined } from '../../contract/defined.ts'
import { sqlEngines, sslModes } from '../../contract/fields/words.ts'
import { createRecord } from '../records/create-record.ts'
import { actAndFollowRecord, waitForRecordFlag } from '../records/follow-record.ts'
import { databaseKind } from '../records/record-kinds.ts'
import { CliError } from '../session/exit-codes.ts'
import { wholeNumber } from '../session/flags.ts'
import { findPlace } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'

interface LoginFlags extends WaitFlags {
  host?: string
  port?: number
  username?: string
  passwordStdin?: boolean
  sslMode?: (typeof sslModes)[number]
  caFile?: string
}

interface ConnectFlags extends LoginFlags {
  engine?: (typeof sqlEngines)[number]
  host: string
  username: string
  database?: string
}

export function connect(cli: Cli): Command {
  const command = new Command('connect')
    .description('connect a postgres or mysql server that exists elsewhere; the password is asked for')
    .argument('[name]', 'name of the database; the service picks one if left out')
    .addOption(new Option('--engine <engine>', 'what it is (postgres)').choices(sqlEngines))
    .requiredOption('--host <host>', 'host of the server')
    .requiredOption('--username <name>', 'login at the server')
    .option('--database <name>', 'database on the server that services connect to')
  return withLoginFlags(command).action(async (name: string | undefined, flags: ConnectFlags, called: Command) => {
    const session = await openSession(cli, called)
    const { engine, host, username, database: databaseName } = flags
    const login = await loginOf(session, flags)
    await createRecord(session, databaseKind, { ...flags, deploy: true, drafts: true }, async (client) => {
      const fields = { ...(await findPlace(session, client)), ...defined({ name, engine, databaseName }) }
      return await client.call('databases.connect', { ...fields, ...login, host, username }, { signal: session.signal })
    })
  })
}

export function setLogin(cli: Cli): Command {
  const command = new Command('set-login')
    .description('give a connected database another login, or say where it is now; the password is asked for')
    .argument('<database>', 'name of the database')
    .option('--host <host>', 'host of the server, if it is another one now')
    .option('--username <name>', 'login at the server, if it is another one now')
  return withLoginFlags(command).action(async (db: string, flags: LoginFlags, called: Command) => {
    const session = await openSession(cli, called)
    const login = await loginOf(session, flags)
    const fields = { db, ...login, ...defined({ host: flags.host, username: flags.username }) }
    const client = await clientOf(session)
    const act = async () => await client.call('databases.change-login', fields, { signal: session.signal })
    if (flags.wait === true)
      return await actAndFollowRecord(session, client, databaseKind, { name: db, noun: 'deploy', ...flags }, act)
    await answer(session, await act(), () =>
      session.terminal.line(`Saved the login of ${db}; follow it with \`svc databases get ${db}\``),
    )
  })
}

const withLoginFlags = (command: Command): Command =>
  command
    .option('--port <port>', 'port of the server; that of the engine if left out', wholeNumber)
    .option('--password-stdin', 'read the password from standard input instead of asking')
    .addOption(new Option('--ssl-mode <mode>', 'how the connection is secured').choices(sslModes))
    .option('--ca-file <file>', 'file with the certificates that the one of the server is checked against')
    .option(...waitForRecordFlag)
    .option(...timeoutFlag)

/** The password never comes from an argument, which other users of the machine can read. */
async function loginOf(
  { terminal }: Session,
  { port, passwordStdin, sslMode, caFile }: LoginFlags,
): Promise<{ password: string; port?: number; sslMode?: (typeof sslModes)[number]; caCertificate?: string }> {
  const caCertificate = caFile === undefined ? undefined : await readFileText(caFile)
  const password =
    passwordStdin === true
      ? (await terminal.readInput()).replace(/\r?\n$/, '')
      : await terminal.askSecret('Password at the server: ')
  return { password, ...defined({ port, sslMode, caCertificate }) }
}

async function readFileText(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  return await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CliError('usage', `${path} cannot be read`, error)
  })
}
