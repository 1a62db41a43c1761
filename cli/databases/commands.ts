/** `svc databases`: databases and how they are reached. */
import { Command } from 'commander'
import type { Cli } from '../session.ts'
import { connection } from './connection.ts'
import { get } from './get.ts'
import { list } from './list.ts'

export function databaseCommands(cli: Cli): Command {
  return new Command('databases')
    .aliases(['database', 'db'])
    .description('work with databases')
    .addCommand(list(cli))
    .addCommand(get(cli))
    .addCommand(connection(cli))
}
