/** The verbs of this room. */
import type { OperationsOf } from '../../contract/operations.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { readCatalogue } from './catalogue.ts'
import { deploy } from './deploy.ts'
import { list } from './list.ts'

export const templateHandlers = (needs: Needs) => {
  const catalogue = readCatalogue()
  return {
    'templates.list': list(catalogue),
    'templates.deploy': deploy(needs, catalogue),
  } satisfies HandlerTable<OperationsOf<'templates'>>
}
