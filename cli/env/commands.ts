/** `svc env`: the variables of a service; plain ones are listed with their values, secret ones by name. */
import { Command } from 'commander'
import { addOperations } from '../operations/operation-command.ts'
import { printTable } from '../output/table.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { envRows } from './operations.ts'
import { set, unset } from './change.ts'

export function envCommands(cli: Cli): Command {
  const env = new Command('env')
    .description('work with the variables of a service')
    .addCommand(list(cli))
    .addCommand(set(cli))
    .addCommand(unset(cli))
  return addOperations(env, envRows, cli)
}

function list(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the variables of a service; secret values are never shown')
    .argument('<app>', 'name of the service')
    .action(async (app: string, _: object, command: Command) => await runList(await openSession(cli, command), app))
}

async function runList(session: Session, app: string): Promise<void> {
  const { terminal } = session
  const view = await (await clientOf(session)).call('apps.variables', { app }, { signal: session.signal })
  await answer(session, view, async ({ config, secrets, env, sharedVariableRefs }) => {
    const rows = [
      ...Object.entries(config).map(([name, value]) => [name, 'plain', value]),
      ...secrets.map((name) => [name, 'secret', '']),
      ...env.map(({ name, kind }) => [name, kind, '']),
      ...sharedVariableRefs.map((name) => [name, 'shared', '']),
    ].toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))
    if (rows.length === 0) return terminal.note(`${app} has no variables; \`svc env set ${app} KEY=VALUE\` sets one`)
    await printTable(terminal, ['name', 'kind', 'value'], rows)
  })
}
