/** `GET /apps/{name}/deployments`: the kept records, newest first; each id is what a rollback takes. */
import { deploymentRecordsKept } from '../../contract/limits.ts'
import { labels } from '../../kinds/annotations.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { byApp } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf } from './scope.ts'

export const deployments =
  (needs: Needs): Handler<'apps.deployments'> =>
  async (call) => {
    const { name } = (await appOf(needs, call)).metadata
    // The record of what runs now carries no label of the service and is no deployment to go back to.
    const records = needs.caches.deployments.by(byApp, name).filter(({ metadata }) => metadata.labels?.[labels.app] === name)
    return { items: [...records].sort(newestFirst).slice(0, deploymentRecordsKept).map(item) }
  }

const startOf = ({ metadata, status }: Deployment): string => status?.startedAt ?? metadata.creationTimestamp ?? ''

function newestFirst(a: Deployment, b: Deployment): number {
  if (startOf(a) === startOf(b)) return a.metadata.name < b.metadata.name ? -1 : 1
  return startOf(a) < startOf(b) ? 1 : -1
}

function item({ metadata, spec, status }: Deployment) {
  const { image, commit = '', trigger = '', actor = '', changeTitle = '' } = spec
  return {
    id: metadata.name,
    phase: status?.phase ?? '',
    image,
    commit,
    trigger,
    actor,
    changeTitle,
    createdAt: metadata.creationTimestamp ?? '',
    ...(status?.startedAt === undefined ? {} : { startedAt: status.startedAt }),
    ...(status?.completedAt === undefined ? {} : { completedAt: status.completedAt }),
  }
}
