/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { connection } from './connection.ts'
import { create } from './create.ts'
import { deleteLogicalDatabase } from './delete.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { retryProvision } from './retry-provision.ts'

export const logicalDatabaseHandlers = (needs: Needs) =>
  ({
    'logical-databases.list': list(needs),
    'logical-databases.create': create(needs),
    'logical-databases.get': get(needs),
    'logical-databases.delete': deleteLogicalDatabase(needs),
    'logical-databases.retry-provision': retryProvision(needs),
    'logical-databases.connection': connection(needs),
  }) satisfies HandlerTable<OperationsOf<'logical-databases'>>
