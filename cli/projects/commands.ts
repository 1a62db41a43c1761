/** `svc projects`: projects and their environments. */
import { Command } from 'commander'
import type { Cli } from '../session/session.ts'
import { create } from './create.ts'
import { get } from './get.ts'
import { list } from './list.ts'

export function projectCommands(cli: Cli): Command {
  return new Command('projects').alias('project').description('work with projects').addCommand(list(cli)).addCommand(get(cli)).addCommand(create(cli))
}
