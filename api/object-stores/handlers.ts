/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { create } from './create.ts'
import { deleteStore } from './delete.ts'
import { deploy } from './deploy.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { retryProvision } from './retry-provision.ts'
import { update } from './update.ts'

export const objectStoreHandlers = (needs: Needs) =>
  ({
    'object-stores.list': list(needs),
    'object-stores.create': create(needs),
    'object-stores.get': get(needs),
    'object-stores.update': update(needs),
    'object-stores.delete': deleteStore(needs),
    'object-stores.deploy': deploy(needs),
    'object-stores.retry-provision': retryProvision(needs),
  }) satisfies HandlerTable<OperationsOf<'object-stores'>>
