/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { connection } from './connection.ts'
import { create } from './create.ts'
import { deleteDatabase } from './delete.ts'
import { deploy } from './deploy.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { metrics } from './metrics.ts'
import { query } from './query.ts'
import { restore } from './restore.ts'
import { retryProvision } from './retry-provision.ts'
import { update } from './update.ts'

export const databaseHandlers = (needs: Needs) =>
  ({
    'databases.list': list(needs),
    'databases.create': create(needs),
    'databases.get': get(needs),
    'databases.update': update(needs),
    'databases.delete': deleteDatabase(needs),
    'databases.deploy': deploy(needs),
    'databases.retry-provision': retryProvision(needs),
    'databases.connection': connection(needs),
    'databases.metrics': metrics(needs),
    'databases.restore': restore(),
    'databases.query': query(needs),
  }) satisfies HandlerTable<OperationsOf<'databases'>>
