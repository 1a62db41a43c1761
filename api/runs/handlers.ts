/** Reads of workflow runs (docs/reference/runs.md). */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const runHandlers = ({ runs }: Needs) =>
  ({
    'runs.list': async ({ params }) => runs.list(params),
    'runs.get': async ({ params }) => runs.get(params.run),
  }) satisfies HandlerTable<OperationsOf<'runs'>>
