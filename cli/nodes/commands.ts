/** `svc nodes`: the nodes of the cluster, where they are and what they are for. */
import { Command } from 'commander'
import type { Cli } from '../session/session.ts'
import { list } from './list.ts'
import { tag } from './tag.ts'

export function nodeCommands(cli: Cli): Command {
  return new Command('nodes').alias('node').description('work with the nodes of the cluster').addCommand(list(cli)).addCommand(tag(cli))
}
