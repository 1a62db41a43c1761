/** The copies of a service, listed live: the caches keep too little of pods. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { releaseOf } from '../../kinds/apps/assess/health.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { copyState, type CopyPod } from '../../kinds/pods/copies.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf } from './service-of-call.ts'

/** `GET /api/apps/{app}/copies`: the state of each copy, and how often and why it was restarted; oldest first. */
export const copies =
  (needs: Needs): Handler<'apps.copies'> =>
  async (call) => {
    const { metadata, spec } = await appOf(needs, call)
    const { items } = await needs.client.list<CopyPod & KubeObject>(coreTypes.pod, {
      namespace: namespaceOf(spec.project, spec.environment),
      labelSelector: `${labels.owner}=${metadata.uid ?? ''}`,
    })
    const shown = items.map((pod) => ({ ...copyState(pod), deployment: releaseOf(pod) ?? '' }))
    return { items: shown.toSorted((a, b) => ((a.startedAt ?? a.name) < (b.startedAt ?? b.name) ? -1 : 1)) }
  }
