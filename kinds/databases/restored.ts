/** A database as a restore of the platform writes it: with the data of its newest backup, or empty. */
import { defined } from '../../contract/defined.ts'
import { annotations } from '../meta/annotations.ts'
import { databaseDraft } from './draft.ts'
import type { Database, DatabaseSpec } from './kind.ts'
import { draftOf } from '../provision/draft.ts'

/** The record of a server that begins with the backup `from`, or empty when that is undefined. */
export function beginningWith(database: Database, from: DatabaseSpec['restoreFrom']): Database {
  const begun = ({ restoreFrom: _, ...spec }: DatabaseSpec): DatabaseSpec => ({
    ...spec,
    ...defined({ restoreFrom: from }),
  })
  const { lastDeployed } = draftOf(databaseDraft, database)
  const notes = database.metadata.annotations ?? {}
  return {
    ...database,
    metadata: {
      ...database.metadata,
      annotations:
        lastDeployed === undefined
          ? notes
          : { ...notes, [annotations.lastDeployed]: JSON.stringify(begun(lastDeployed)) },
    },
    spec: begun(database.spec),
  }
}
