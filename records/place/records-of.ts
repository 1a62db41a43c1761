/** The live records in one environment, or in all of a project. */
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { Place } from './place.ts'
import type { RecordStore } from '../store/record-store.ts'

/**
 * Listed live, since another process may have made a record a moment ago; by the labels that svc sets, so that one
 * place among thousands stays cheap. Records without labels come from the cache. Without an environment: all of the
 * project.
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
