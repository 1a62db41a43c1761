/** `svc stores`: buckets, and the object server they lie on. */
import { Command } from 'commander'
import { storeKind } from '../records/record-kinds.ts'
import { deleteVerb, deployVerb, getVerb, listVerb, retryVerb } from '../records/record-verbs.ts'
import type { Cli } from '../session/session.ts'
import { create, createServer } from './create.ts'
import { set } from './set.ts'

export function storeCommands(cli: Cli): Command {
  const stores = new Command('stores').aliases(['store', 'buckets', 'bucket']).description('work with buckets')
  stores.addCommand(listVerb(storeKind, cli)).addCommand(getVerb(storeKind, cli)).addCommand(create(cli)).addCommand(createServer(cli)).addCommand(set(cli))
  for (const verb of [deployVerb, retryVerb, deleteVerb]) stores.addCommand(verb(storeKind, cli))
  return stores
}
