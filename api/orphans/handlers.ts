/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { list } from './list.ts'

export const orphanHandlers = (needs: Needs) => ({ 'orphans.list': list(needs) }) satisfies HandlerTable<OperationsOf<'orphans'>>
