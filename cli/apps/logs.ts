/** `svc logs`: recent log lines, and with `-f` new ones as they arrive. */
import { Command, Option } from 'commander'
import { parseDurationMs, wholeNumber } from '../session/flags.ts'
import { clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { printBuildLog } from './build-log.ts'
import { followLogs, printLogLine } from './follow-logs.ts'
import { defined } from '../../contract/defined.ts'

const levels = ['debug', 'info', 'warn', 'error']

interface LogFlags {
  follow?: boolean
  tail: number
  since?: string
  level?: string
  search?: string
  previous?: boolean
  build?: boolean
}

export function logs(cli: Cli): Command {
  return new Command('logs')
    .description('show the log of a service')
    .argument('<app>', 'name of the service')
    .option('-f, --follow', 'go on with new lines until interrupted; with --build until the deploy has ended')
    .option('--tail <lines>', 'newest lines of each copy, 1 to 1000', wholeNumber, 200)
    .option('--since <duration>', 'only lines younger than this, such as 15m or 2h, at most 7d')
    .addOption(new Option('--level <level>', 'only lines of this level').choices(levels))
    .option('--search <text>', 'only lines with this text')
    .option('--previous', 'of the copies that ended before the running ones')
    .option('--build', 'what the newest build writes, instead of what the copies write')
    .action(
      async (app: string, flags: LogFlags, command: Command) => await run(await openSession(cli, command), app, flags),
    )
}

async function run(session: Session, app: string, flags: LogFlags): Promise<void> {
  const { terminal, signal } = session
  // Checked here for an error that names the flag; the service checks the range.
  if (flags.since !== undefined) await parseDurationMs('--since', flags.since)
  const query = {
    app,
    tail: flags.tail,
    ...defined({ since: flags.since, level: flags.level, q: flags.search }),
    ...(flags.previous === true ? { previous: true } : {}),
  }
  const client = await clientOf(session)
  if (flags.build === true) return await printBuildLog(session, client, app, flags.follow === true)
  if (flags.follow === true) return await followLogs(session, client, query)
  const view = await client.call('apps.logs', query, { signal })
  if (session.flags.json === true) return terminal.json(view)
  for (const line of view.lines) printLogLine(session, line)
  if (view.note !== '') terminal.note(view.note)
}
