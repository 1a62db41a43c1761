/** What a logical database has on the cluster, and what of it is whose. */

import { createHash } from 'node:crypto'
import { labels, managedBySvc } from '../../kinds/annotations.ts'
import { connectionPurpose } from '../../kinds/connection-secret.ts'
import { systemNamespace } from '../../kinds/group.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { fingerprinted, namesOnSharedServer, type OnServer } from '../../kinds/logical-databases/names.ts'
import { namespaceOf } from '../../kinds/namespaces.ts'
import { isSharedServerName } from '../../kinds/shared-servers.ts'

export const isOnSharedServer = ({ spec }: LogicalDatabase): boolean => isSharedServerName(spec.serverRef)

export function ownLabels({ metadata, spec }: LogicalDatabase): Record<string, string> {
  return {
    [labels.managedBy]: managedBySvc,
    [labels.project]: spec.project,
    [labels.environment]: spec.environment,
    [labels.owner]: metadata.uid ?? '',
  }
}

/** So labelled, the watch sees when one goes away. */
export const connectionLabels = (record: LogicalDatabase): Record<string, string> => ({ ...ownLabels(record), [labels.purpose]: connectionPurpose })

/** Its name and login on the shared server. */
export function sharedNamesOf({ spec }: LogicalDatabase): OnServer {
  return namesOnSharedServer(spec, createHash('sha256').update(fingerprinted(spec)).digest('hex'))
}

/** Where its Jobs run: beside the server. */
export function jobNamespaceOf(record: LogicalDatabase): string {
  return isOnSharedServer(record) ? systemNamespace : namespaceOf(record.spec.project, record.spec.environment)
}
