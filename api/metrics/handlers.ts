/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { cluster } from './cluster.ts'
import { operator } from './operator.ts'

export const metricsHandlers = (needs: Needs) =>
  ({
    'metrics.cluster': cluster(needs),
    'metrics.operator': operator(needs),
  }) satisfies HandlerTable<OperationsOf<'metrics'>>
