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

/** Once, and only of one that was ready once: before, there is nothing in it. */
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

/** An earlier release may have begun with it. */
async function isDropped({ client }: ActivityNeeds, database: LogicalDatabase): Promise<boolean> {
  const job = await readJob(client, systemNamespace, dropJobName(sharedNamesOf(database).username))
  return job !== undefined && ownerOf(job) === database.metadata.uid
}
