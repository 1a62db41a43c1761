/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { get } from './get.ts'

export const usageHandlers = (needs: Needs) => ({ 'usage.get': get(needs) }) satisfies HandlerTable<OperationsOf<'usage'>>
