/** What lives in one place, or in all of a project, as the cluster holds it now. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Place } from './place.ts'
import type { RecordStore } from '../store/record-store.ts'

/**
 * Read from the cluster, since another process may have made one this moment: by the labels that this platform gives,
 * so that one place of thousands stays cheap. Records made without labels come from the cache. Without an environment:
 * all of the project.
 */
export async function recordsOf<T extends KubeObject & { spec: Place }>(
  client: ClusterClient,
  { cache }: RecordStore<T>,
  type: ResourceType,
  { project, environment }: Pick<Place, 'project'> & Partial<Place>,
): Promise<T[]> {
  const labelSelector = `${labels.project}=${project}${environment === undefined ? '' : `,${labels.environment}=${environment}`}`
  const { items } = await client.list<T>(type, { namespace: systemNamespace, labelSelector })
  const here = ({ spec }: T): boolean =>
    spec.project === project && (environment === undefined || spec.environment === environment)
  const live = new Set(items.map(({ metadata }) => metadata.name))
  const unlabelled = cache
    .list()
    .filter(
      (record) =>
        here(record) && record.metadata.labels?.[labels.project] === undefined && !live.has(record.metadata.name),
    )
  return [...items.filter(here), ...unlabelled]
}
