/** `svc functions triggers`: the schedules of a function, with their last and next runs. */
import { Command } from 'commander'
import type { View } from '../../contract/operations.ts'
import { timeText } from '../output/value-text.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { changeFlags, deployChange, deploysChange, type ChangeFlags } from '../wait/deploy-change.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs, textOf } from '../session/flags.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { defined } from '../../contract/defined.ts'
import { followRun } from './follow-run.ts'

type Schedule = View<'apps.schedules'>['items'][number]

interface AddFlags extends ChangeFlags {
  schedule: string
  path?: string
  payload?: string
}

const started = {
  active: '',
  starts: 'starts with the next deploy',
  changes: 'changes with the next deploy',
  ends: 'ends with the next deploy',
} as const satisfies Record<Schedule['state'], string>

export function listTriggers(cli: Cli): Command {
  const command = new Command('list')
    .alias('ls')
    .description('list the schedules of a function, with the last run and the next of each; --json has more of them')
    .argument('<app>', 'name of the function')
  return listFlags(command).action(
    async (app: string, flags: ListFlags, called: Command) => await runList(await openSession(cli, called), app, flags),
  )
}

async function runList(session: Session, app: string, flags: ListFlags): Promise<void> {
  const view = await (await clientOf(session)).call('apps.schedules', { app }, { signal: session.signal })
  await answerList(session, view, flags, {
    items: view.items,
    columns: {
      name: ({ name }) => name,
      schedule: ({ schedule }) => schedule,
      path: ({ path }) => path,
      'last run': ({ runs: [last] }) => timeText(last?.plannedAt),
      phase: ({ runs: [last] }) => last?.phase ?? '',
      'next run': ({ next: [next] }) => timeText(next),
      message: ({ state, runs: [last] }) =>
        [started[state], last?.message ?? ''].filter((words) => words !== '').join('; '),
    },
    none: `${app} has no schedules; \`svc functions triggers add ${app} NAME --schedule CRON\` adds one`,
  })
}

export function addTrigger(cli: Cli): Command {
  const command = new Command('add')
    .description('add a schedule to a function, or replace the one of that name; it starts with the next deploy')
    .argument('<app>', 'name of the function')
    .argument('<name>', 'name of the schedule')
    .requiredOption('--schedule <cron>', 'five-field UTC cron, or a word such as @hourly')
    .option('--path <path>', 'path that is called; / if left out')
    .option('--payload <json>', 'JSON that each run sends (@FILE, or - for stdin)')
  return changeFlags(command).action(
    async (app: string, name: string, flags: AddFlags, called: Command) =>
      await runAdd(await openSession(cli, called), app, name, flags),
  )
}

async function runAdd(session: Session, app: string, name: string, flags: AddFlags): Promise<void> {
  const { terminal, signal } = session
  await parseDurationMs('--timeout', flags.timeout)
  const { setTrigger } = await import('../../mcp/functions/triggers.ts')
  const payload = await textOf(terminal, flags.payload)
  const client = await clientOf(session)
  const trigger = { name, schedule: flags.schedule, ...defined({ path: flags.path, payload }) }
  const view = await setTrigger({ client, signal }, app, trigger)
  if (deploysChange(flags)) return await deployChange(session, client, app, flags, 'Saved')
  await answer(session, view, () => terminal.line(`Saved; it starts with the next \`svc deploy ${app}\``))
}

export function removeTrigger(cli: Cli): Command {
  const command = new Command('remove')
    .alias('rm')
    .description('remove a schedule of a function, from the next deploy on')
    .argument('<app>', 'name of the function')
    .argument('<name>', 'name of the schedule')
  return changeFlags(command).action(
    async (app: string, name: string, flags: ChangeFlags, called: Command) =>
      await runRemove(await openSession(cli, called), app, name, flags),
  )
}

async function runRemove(session: Session, app: string, name: string, flags: ChangeFlags): Promise<void> {
  const { terminal, signal } = session
  await parseDurationMs('--timeout', flags.timeout)
  const triggers = await import('../../mcp/functions/triggers.ts')
  const { ToolError } = await import('../../mcp/tool/tool.ts')
  const client = await clientOf(session)
  const view = await triggers.removeTrigger({ client, signal }, app, name).catch((error: unknown) => {
    throw error instanceof ToolError ? new CliError('notFound', error.message, error) : error
  })
  if (deploysChange(flags)) return await deployChange(session, client, app, flags, 'Saved')
  await answer(session, view, () => terminal.line(`Saved; it ends with the next \`svc deploy ${app}\``))
}

export function runTrigger(cli: Cli): Command {
  return new Command('run')
    .description('run a schedule of a function now, after the run that goes on')
    .argument('<app>', 'name of the function')
    .argument('<name>', 'name of the schedule')
    .option('--wait', 'wait until the run has ended')
    .option(...timeoutFlag)
    .action(
      async (app: string, name: string, flags: WaitFlags, command: Command) =>
        await runNow(await openSession(cli, command), app, name, flags),
    )
}

async function runNow(session: Session, app: string, schedule: string, flags: WaitFlags): Promise<void> {
  const { terminal, signal } = session
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  const client = await clientOf(session)
  const view = await client.call('apps.schedule-run', { app, schedule }, { signal })
  if (flags.wait === true) return await followRun(session, client, { app, schedule, timeoutMs, ...view })
  await answer(session, view, () => terminal.line(`Begun; \`svc functions triggers list ${app}\` says how it ended`))
}
