/** Saves whether a logical database has backups of its own, and how long they are kept. */
import { refuse } from '../../contract/problem.ts'
import { type BackupSettings, withBackupSettings } from '../../kinds/provision/own-backups.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { isSharedServerName, logicalBackupsElsewhere } from '../../kinds/logical-databases/shared-servers.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { withLiveEditor } from '../../kinds/provision/edited-by.ts'
import { editRecord } from '../store/edit-record.ts'
import type { RecordStore } from '../store/record-store.ts'

/** One conditional write. Throws Problem not_found, and invalid_request for a database on a server of its project. */
export async function saveBackupSettings(
  { logicalDatabases }: { logicalDatabases: RecordStore<LogicalDatabase> },
  name: string,
  settings: BackupSettings,
  ifMatch?: string,
  actor?: string,
): Promise<{ liveChanged: boolean }> {
  let liveChanged = false
  await editRecord<LogicalDatabase>(
    logicalDatabases,
    'logical database',
    name,
    (database) => {
      const spec = withBackupSettings(database.spec, settings)
      if (spec !== database.spec && !isSharedServerName(spec.serverRef)) throw refuse(logicalBackupsElsewhere)
      liveChanged ||= canonical(spec) !== canonical(database.spec)
      return withLiveEditor((record) => record.spec, database, { ...database, spec }, actor)
    },
    ifMatch,
  )
  return { liveChanged }
}
