/** The backup that is taken before a database is dropped on the shared server. */
import { retentionDaysOf } from '../../kinds/provision/own-backups.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { dropJobName } from '../../kinds/logical-databases/names.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { askLogicalBackup, logicalBackupRefusal } from '../../records/backups/ask-logical-backup.ts'
import { awaitLastBackup } from '../backups/last-backup.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { ownerOf, readJob } from '../kube/jobs.ts'
import { writeStatus } from '../kube/write-status.ts'
import type { Pass } from '../provision/step.ts'
import { sharedNamesOf } from './own-objects.ts'

/** Skipped once the status names the backup, and for a database that was never ready, which holds no data. */
export const lastBackup =
  (needs: ActivityNeeds): Pass<LogicalDatabase> =>
  async (database) => {
    const { spec, status } = database
    if (status?.lastBackup !== undefined || status?.connectionSecret === undefined) return undefined
    return awaitLastBackup(needs, database, {
      async ask(name, project) {
        const server = await needs.databases.readLive(spec.serverRef)
        if (logicalBackupRefusal(database, server, project, 'Deletion') !== '') return undefined
        if (await isDropped(needs, database)) return undefined
        return askLogicalBackup(needs, database, {
          name,
          trigger: 'Deletion',
          keepDays: retentionDaysOf(spec),
        })
      },
      note: (name) =>
        writeStatus(needs.client, needs.logicalDatabases, resourceTypes.logicalDatabase, database, {
          lastBackup: name,
        }),
    })
  }

/** Whether the drop Job exists: an earlier release of svc may have begun the drop without a backup. */
async function isDropped({ client }: ActivityNeeds, database: LogicalDatabase): Promise<boolean> {
  const job = await readJob(client, systemNamespace, dropJobName(sharedNamesOf(database).username))
  return job !== undefined && ownerOf(job) === database.metadata.uid
}
