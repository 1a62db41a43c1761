/** `svc env`: the variables of a service; plain ones are listed with their values, secret ones by name. */
import { Command } from 'commander'
import type { View } from '../../contract/operations.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { set, unset } from './change.ts'
import { importAll } from './import.ts'

export function envCommands(cli: Cli): Command {
  return new Command('env')
    .description('work with the variables of a service')
    .addCommand(list(cli))
    .addCommand(set(cli))
    .addCommand(unset(cli))
    .addCommand(importAll(cli))
}

function list(cli: Cli): Command {
  const command = new Command('list')
    .alias('ls')
    .description('list the variables of a service; secret values are never shown')
    .argument('<app>', 'name of the service')
  return listFlags(command).action(
    async (app: string, flags: ListFlags, called: Command) => await runList(await openSession(cli, called), app, flags),
  )
}

interface Variable {
  name: string
  kind: string
  value: string
}

async function runList(session: Session, app: string, flags: ListFlags): Promise<void> {
  const view = await (await clientOf(session)).call('apps.variables', { app }, { signal: session.signal })
  await answerList(session, view, flags, {
    items: variablesOf(view),
    columns: { name: (it) => it.name, kind: (it) => it.kind, value: (it) => it.value },
    none: `${app} has no variables; \`svc env set ${app} KEY=VALUE\` sets one`,
  })
}

function variablesOf({ config, secrets, env, sharedVariableRefs }: View<'apps.variables'>): Variable[] {
  return [
    ...Object.entries(config).map(([name, value]) => ({ name, kind: 'plain', value })),
    ...secrets.map((name) => ({ name, kind: 'secret', value: '' })),
    ...env.map(({ name, kind }) => ({ name, kind, value: '' })),
    ...sharedVariableRefs.map((name) => ({ name, kind: 'shared', value: '' })),
  ].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
