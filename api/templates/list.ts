/** `GET /templates`: the catalogue as it was when the process started. */
import { describeTemplate } from '../../kinds/templates/template.ts'
import type { Template } from '../../kinds/templates/template.ts'
import type { Handler } from '../context/handler.ts'
import { memoizedBody } from '../views/memoized-body.ts'

export const list = (catalogue: ReadonlyMap<string, Template>): Handler<'templates.list'> => {
  const view = memoizedBody({ items: [...catalogue.values()].map(describeTemplate) })
  return async () => view
}
