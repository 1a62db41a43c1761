/** `svc scale`: the number of copies, and whether they sleep when idle; the two settings are independent. */
import { Command } from 'commander'
import { scaleApp, type Sleep } from '../../client/apps/changes.ts'
import type { Client } from '../../client/client.ts'
import { listenForChanges } from '../../client/wait/changes.ts'
import type { DeployStatus } from '../../client/wait/deploy.ts'
import { waitForScale } from '../../client/wait/scale.ts'
import { waitForSleepCheck } from '../../client/wait/sleep-when-idle.ts'
import { deployText } from '../output/resource-text.ts'
import { durationText } from '../output/value-text.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs, wholeNumber } from '../session/flags.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { ofApp } from '../wait/follow-deploy.ts'
import { follow, reportEnd, timeoutFlag, type WaitFlags, type Work } from '../wait/follow.ts'
import { defined } from '../../contract/defined.ts'

interface ScaleFlags extends WaitFlags {
  sleepAfter?: string
  alwaysOn?: boolean
}

export function scale(cli: Cli): Command {
  return new Command('scale')
    .description('set the number of copies of a service at once')
    .argument('<app>', 'name of the service')
    .argument('[replicas]', 'number of copies', wholeNumber)
    .option('--sleep-after <duration>', 'no copies after this long without a request, such as 300 (seconds) or 5m')
    .option('--always-on', 'never sleep')
    .option('--wait', 'wait until so many copies run')
    .option(...timeoutFlag)
    .action(async (app: string, replicas: number | undefined, flags: ScaleFlags, command: Command) => {
      await run(await openSession(cli, command), app, replicas, flags)
    })
}

async function run(session: Session, app: string, replicas: number | undefined, flags: ScaleFlags): Promise<void> {
  const { terminal, signal } = session
  const sleep = await sleepOf(flags)
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  if (replicas === undefined && sleep === undefined)
    throw new CliError('usage', 'say what to change: a number of copies, --sleep-after or --always-on')
  if (replicas === undefined && flags.wait === true)
    throw new CliError('usage', '--wait waits for a number of copies: say how many')
  const client = await clientOf(session)
  const view = await scaleApp(client, app, { replicas, sleep }, signal)
  const inWords = session.flags.json !== true
  if (inWords && replicas !== undefined)
    terminal.line(`${app} is set to ${replicas} ${replicas === 1 ? 'copy' : 'copies'}`)
  if (inWords && sleep?.scaleToZero === false) terminal.line(`${app} is always on`)
  const verdict = sleep?.scaleToZero === true ? await sleepVerdict(session, client, app) : undefined
  if (inWords && sleep?.scaleToZero === true) printVerdict(session, app, sleep.idleSeconds, verdict)
  if (flags.wait === true && replicas !== undefined)
    return await followScale(session, client, { app, replicas, timeoutMs })
  await answer(session, { ...view, ...defined({ scaleToZero: verdict }) }, () => undefined)
}

async function sleepOf({ sleepAfter, alwaysOn }: ScaleFlags): Promise<Sleep | undefined> {
  if (alwaysOn === true && sleepAfter !== undefined)
    throw new CliError('usage', '--sleep-after and --always-on cannot be used together')
  if (alwaysOn === true) return { scaleToZero: false }
  if (sleepAfter === undefined) return undefined
  return { scaleToZero: true, idleSeconds: (await parseDurationMs('--sleep-after', sleepAfter)) / 1000 }
}

type SleepVerdict = DeployStatus['scaleToZero']

/** Whether the service can sleep; the setting is saved in any case (docs/guides/sleep.md). */
async function sleepVerdict({ now, sleep, signal }: Session, client: Client, app: string): Promise<SleepVerdict> {
  const changes = listenForChanges(client, ofApp(app), sleep)
  try {
    return await waitForSleepCheck({ client, app, now, sleep: changes.sleep, signal })
  } finally {
    changes.stop()
  }
}

function printVerdict({ terminal }: Session, app: string, idleSeconds: number, verdict: SleepVerdict): void {
  const after = `after ${durationText(idleSeconds * 1000)} without a request`
  if (verdict?.active === true) return terminal.line(`${app} sleeps ${after}`)
  terminal.line(`Saved that ${app} sleeps ${after}`)
  if (verdict?.active === false)
    return terminal.note(`${app} cannot sleep now: ${verdict.message ?? 'the service gives no reason'}`)
  terminal.note(`nothing has said yet whether it can; look with \`svc status ${app}\``)
}

async function followScale(
  session: Session,
  client: Client,
  { app, replicas, timeoutMs }: { app: string; replicas: number; timeoutMs: number },
): Promise<void> {
  const work: Work<DeployStatus> = {
    name: app,
    noun: 'scaling',
    goal: 'ready',
    look: `svc status ${app} --wait`,
    timeoutMs,
    concerns: ofApp(app),
    textOf: deployText,
    wait: async (poll) => await waitForScale({ client, app, replicas, ...poll }),
  }
  const { outcome, reason, elapsedMs } = await follow(session, client, work)
  if (outcome === 'failed') throw new CliError('deployFailed', `${app} has not so many copies: ${plainText(reason)}`)
  reportEnd(session, work, elapsedMs)
}
