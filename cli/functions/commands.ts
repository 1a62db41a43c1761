/** `svc functions`: the schedules of a function with their runs, and one call of it. */
import { Command } from 'commander'
import { invoke } from './invoke.ts'
import { addTrigger, listTriggers, removeTrigger, runTrigger } from './triggers.ts'
import type { Cli } from '../session/session.ts'

export function functionCommands(cli: Cli): Command {
  const triggers = new Command('triggers').description('work with the schedules of a function')
  for (const verb of [listTriggers, addTrigger, removeTrigger, runTrigger]) triggers.addCommand(verb(cli))
  return new Command('functions')
    .alias('function')
    .description('work with functions')
    .addCommand(triggers)
    .addCommand(invoke(cli))
}
