/** `svc databases`: databases and how they are reached. */
import { Command } from 'commander'
import { databaseKind } from '../records/record-kinds.ts'
import { connectionVerb, deleteVerb, deployVerb, getVerb, listVerb, retryVerb } from '../records/record-verbs.ts'
import type { Cli } from '../session/session.ts'
import { create, createServer } from './create.ts'
import { set } from './set.ts'

export function databaseCommands(cli: Cli): Command {
  const databases = new Command('databases').aliases(['database', 'db']).description('work with databases')
  databases
    .addCommand(listVerb(databaseKind, cli))
    .addCommand(getVerb(databaseKind, cli))
    .addCommand(create(cli))
    .addCommand(createServer(cli))
    .addCommand(set(cli))
  for (const verb of [deployVerb, retryVerb, deleteVerb, connectionVerb]) databases.addCommand(verb(databaseKind, cli))
  return databases
}
