/** `svc env`: the variables of a service. */
import { Command } from 'commander'
import type { Cli } from '../session/session.ts'
import { list } from './list.ts'
import { set } from './set.ts'
import { unset } from './unset.ts'

export function envCommands(cli: Cli): Command {
  return new Command('env').description('work with the variables of a service').addCommand(list(cli)).addCommand(set(cli)).addCommand(unset(cli))
}
