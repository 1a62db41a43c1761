/** Names, labels and namespaces of a logical database's objects. */
import { createHash } from 'node:crypto'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { connectionPurpose, connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { JobOwner } from '../../kinds/logical-databases/jobs.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import {
  claimPurpose,
  claimSecretName,
  fingerprinted,
  loginSecretName,
  namesOnSharedServer,
  type OnServer,
} from '../../kinds/logical-databases/names.ts'
import { namespaceOf, placeLabels } from '../../kinds/meta/namespaces.ts'
import { isSharedServerName } from '../../kinds/logical-databases/shared-servers.ts'
import type { OwnSecret } from '../kube/own-secret.ts'

export const isOnSharedServer = ({ spec }: Pick<LogicalDatabase, 'spec'>): boolean => isSharedServerName(spec.serverRef)

function ownLabels(record: LogicalDatabase): Record<string, string> {
  return { [labels.managedBy]: managedBySvc, ...placeLabels(record.spec), [labels.owner]: record.metadata.uid ?? '' }
}

export function jobOwner(record: LogicalDatabase): JobOwner {
  return { labels: ownLabels(record), podLabels: placeLabels(record.spec) }
}

/** A Secret of the record; by its labels the watch sees when it is deleted. */
function ownSecret(record: LogicalDatabase, namespace: string, name: string): OwnSecret {
  return { name, namespace, owner: record.metadata.uid ?? '', purpose: connectionPurpose, labels: ownLabels(record) }
}

/** The login on the shared server; in svc-system, where projects have no access. */
export const loginSecretOf = (record: LogicalDatabase): OwnSecret =>
  ownSecret(record, systemNamespace, loginSecretName(record.metadata.name))

export const connectionSecretOf = (record: LogicalDatabase): OwnSecret =>
  ownSecret(
    record,
    namespaceOf(record.spec.project, record.spec.environment),
    connectionSecretName(record.metadata.name),
  )

/** The Secret that claims the name on the server for a logical database; it holds nothing. */
export const claimOf = (record: LogicalDatabase): OwnSecret => ({
  ...ownSecret(
    record,
    systemNamespace,
    claimSecretName(sha256(JSON.stringify([record.spec.serverRef, nameOnServer(record)]))),
  ),
  purpose: claimPurpose,
})

/** The name of the logical database on its server. */
export const nameOnServer = (record: Pick<LogicalDatabase, 'spec'>): string =>
  isOnSharedServer(record) ? sharedNamesOf(record).database : record.spec.databaseName

/** Name and login of a logical database on the shared server. */
export function sharedNamesOf({ spec }: Pick<LogicalDatabase, 'spec'>): OnServer {
  return namesOnSharedServer(spec, sha256(fingerprinted(spec)))
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The namespace of its Jobs: that of the server. */
export function jobNamespaceOf(record: LogicalDatabase): string {
  return isOnSharedServer(record) ? systemNamespace : namespaceOf(record.spec.project, record.spec.environment)
}
