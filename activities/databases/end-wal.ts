/**
 * Ends the shipper of a database's WAL or binary log once the database keeps no log any more; a shipper is created with
 * a backup.
 */
import { withWal } from '../../kinds/backup-archives/wal/rules.ts'
import { keepsWal } from '../../kinds/databases/keeps-wal.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { endShippers } from '../backups/wal.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { Pass } from '../provision/step.ts'

export const endWal =
  (needs: ActivityNeeds): Pass<Database> =>
  async (database) => {
    if (keepsWal(database)) return undefined
    const all = needs.backupArchives.cache.list()
    const own = all.filter(({ spec }) => spec.databaseUid === database.metadata.uid)
    if (withWal(own).length > 0) await endShippers(needs, database, [])
    return undefined
  }
