/** The handlers of templates. */
import type { OperationsOf } from '../../contract/operations.ts'
import { Problem } from '../../contract/problem.ts'
import { describeTemplate, type Template } from '../../kinds/templates/template.ts'
import { closePlan, openPlan } from '../../records/templates/plan.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { memoizedBody } from '../views/memoized-body.ts'
import { readCatalogue } from './catalogue.ts'
import { makeDatabase, makeService } from './make-resource.ts'

export const templateHandlers = (needs: Needs) => {
  const catalogue = readCatalogue()
  return {
    'templates.list': list(catalogue),
    'templates.deploy': deploy(needs, catalogue),
  } satisfies HandlerTable<OperationsOf<'templates'>>
}

/** `GET /templates`: the catalogue as of the start of the process. */
const list = (catalogue: ReadonlyMap<string, Template>): Handler<'templates.list'> => {
  const view = memoizedBody({ items: [...catalogue.values()].map(describeTemplate) })
  return async () => view
}

/**
 * `POST /templates/{id}/deploy`: creates the resources of a template as drafts; a repeated request after a crash
 * completes the same ones.
 */
const deploy =
  ({ writes }: Needs, catalogue: ReadonlyMap<string, Template>): Handler<'templates.deploy'> =>
  async ({ params: { template: id, project, environment } }) => {
    const template = catalogue.get(id)
    if (template === undefined) throw new Problem('not_found', 'template not found')
    const place = { project, environment }
    const plan = await openPlan(writes, place, template, (name) =>
      (['app', 'database'] as const).some((kind) => writes.names.taken(kind, name, place)),
    )
    const created: { kind: 'app' | 'database'; name: string }[] = []
    for (const resource of template.resources) {
      const name = plan[resource.name] ?? resource.name
      if (resource.kind === 'database') await makeDatabase(writes, place, resource, name)
      else await makeService(writes, place, resource, name, plan)
      created.push({ kind: resource.kind, name })
    }
    await closePlan(writes, place, template)
    return { ok: true, created }
  }
