/** `GET /templates`: the catalogue as it was when the process started. */
import { describeTemplate } from '../../kinds/templates/template.ts'
import type { Template } from '../../kinds/templates/template.ts'
import type { Handler } from '../context/handler.ts'
import { remembered } from '../views/remembered.ts'

export const list = (catalogue: ReadonlyMap<string, Template>): Handler<'templates.list'> => {
  const view = remembered({ items: [...catalogue.values()].map(describeTemplate) })
  return async () => view
}
