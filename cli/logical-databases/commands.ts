/** `svc logical-databases`: databases on a server that exists. */
import { Command } from 'commander'
import { logicalDatabaseKind } from '../records/record-kinds.ts'
import { connectionVerb, deleteVerb, getVerb, listVerb, retryVerb } from '../records/record-verbs.ts'
import type { Cli } from '../session/session.ts'
import { create } from './create.ts'

export function logicalDatabaseCommands(cli: Cli): Command {
  const logical = new Command('logical-databases').aliases(['logical-database', 'logical']).description('work with databases on a server that exists')
  logical.addCommand(listVerb(logicalDatabaseKind, cli)).addCommand(getVerb(logicalDatabaseKind, cli)).addCommand(create(cli))
  for (const verb of [retryVerb, deleteVerb, connectionVerb]) logical.addCommand(verb(logicalDatabaseKind, cli))
  return logical
}
