/** The pods of a service, from the cache. */
import { labels } from '../../kinds/annotations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { byApp } from '../context/caches.ts'
import type { Caches } from '../context/caches.ts'
import type { PodSeen } from '../context/trim.ts'
import type { LogSource } from './log-lines.ts'

/** Only those made for this very record: a pod of an earlier service of the same name may still be going. */
export function podsOf({ pods }: Caches, { metadata }: App): readonly PodSeen[] {
  return pods.by(byApp, metadata.name).filter((pod) => pod.metadata.labels?.[labels.owner] === metadata.uid)
}

/** The same, as what logs are read from. */
export const sourcesOf = (caches: Caches, app: App): LogSource[] => podsOf(caches, app).map((pod) => ({ service: app.metadata.name, pod }))
