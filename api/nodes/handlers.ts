/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { list } from './list.ts'
import { placement } from './placement.ts'

export const nodeHandlers = (needs: Needs) =>
  ({
    'nodes.list': list(needs),
    'nodes.placement': placement(needs),
  }) satisfies HandlerTable<OperationsOf<'nodes'>>
