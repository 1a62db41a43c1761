/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { create } from './create.ts'

export const cloudConnectionHandlers = (needs: Needs) =>
  ({ 'cloud-connections.create': create(needs) }) satisfies HandlerTable<OperationsOf<'cloud-connections'>>
