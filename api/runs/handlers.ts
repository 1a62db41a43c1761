/** Reads of workflow runs (docs/reference/runs.md). */
import { defined } from '../../contract/defined.ts'
import type { OperationsOf, View } from '../../contract/operations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

type Run = View<'runs.list'>['items'][number]

export const runHandlers = (needs: Pick<Needs, 'runs' | 'caches'>) =>
  ({
    'runs.list': async ({ params }) => {
      const view = await needs.runs.list(params)
      return { ...view, items: view.items.map((run) => withService(needs, run)) }
    },
    'runs.get': async ({ params }) => withService(needs, await needs.runs.get(params.run)),
  }) satisfies HandlerTable<OperationsOf<'runs'>>

/** Temporal knows a build by its name, which is that of its deploy: the records of both say which service it is of. */
function withService<R extends Run>({ caches: { builds, deployments } }: Pick<Needs, 'caches'>, run: R): R {
  if (run.kind !== 'build') return run
  const { resource } = run
  const record = builds.get(resource, systemNamespace) ?? deployments.get(resource, systemNamespace)
  return { ...run, ...defined({ service: record?.spec.app }) }
}
