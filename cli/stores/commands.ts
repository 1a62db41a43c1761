/** `svc stores`: buckets. */
import { Command } from 'commander'
import type { Cli } from '../session.ts'
import { get } from './get.ts'
import { list } from './list.ts'

export function storeCommands(cli: Cli): Command {
  return new Command('stores').aliases(['store', 'buckets', 'bucket']).description('work with buckets').addCommand(list(cli)).addCommand(get(cli))
}
