/** `svc scale`: the number of copies, and whether they sleep when idle; the two settings are independent. */
import { Command } from 'commander'
import { scaleApp, type Sleep } from '../../client/apps/changes.ts'
import { durationText } from '../output/value-text.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs, wholeNumber } from '../session/flags.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

interface ScaleFlags {
  sleepAfter?: string
  alwaysOn?: boolean
}

export function scale(cli: Cli): Command {
  return new Command('scale')
    .description('set the number of copies of a service at once')
    .argument('<app>', 'name of the service')
    .argument('[replicas]', 'number of copies', wholeNumber)
    .option('--sleep-after <duration>', 'no copies after this long without a request, such as 5m')
    .option('--always-on', 'never sleep')
    .action(async (app: string, replicas: number | undefined, flags: ScaleFlags, command: Command) => {
      await run(await openSession(cli, command), app, replicas, flags)
    })
}

async function run(session: Session, app: string, replicas: number | undefined, flags: ScaleFlags): Promise<void> {
  const { terminal, signal } = session
  const sleep = await sleepOf(flags)
  if (replicas === undefined && sleep === undefined)
    throw new CliError('usage', 'say what to change: a number of copies, --sleep-after or --always-on')
  const client = await clientOf(session)
  const view = await scaleApp(client, app, { replicas, sleep }, signal)
  await answer(session, view, () => {
    if (replicas !== undefined) terminal.line(`${app} is set to ${replicas} ${replicas === 1 ? 'copy' : 'copies'}`)
    if (sleep !== undefined)
      terminal.line(
        sleep.scaleToZero
          ? `${app} sleeps after ${durationText(sleep.idleSeconds * 1000)} without a request`
          : `${app} is always on`,
      )
  })
}

async function sleepOf({ sleepAfter, alwaysOn }: ScaleFlags): Promise<Sleep | undefined> {
  if (alwaysOn === true && sleepAfter !== undefined)
    throw new CliError('usage', '--sleep-after and --always-on cannot be used together')
  if (alwaysOn === true) return { scaleToZero: false }
  if (sleepAfter === undefined) return undefined
  return { scaleToZero: true, idleSeconds: (await parseDurationMs('--sleep-after', sleepAfter)) / 1000 }
}
