/**
 * Backups that a database waits for: one before its data is deleted, and one before another version opens its data
 * (docs/reference/backups.md#before-a-deletion). The names of both follow from their cause, so a repeated pass finds
 * the backup that an earlier pass created.
 */
import type { V1StatefulSet } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { upgradeArchiveName } from '../../kinds/backup-archives/names.ts'
import { archiveState, isVerified } from '../../kinds/backup-archives/rules.ts'
import { hasFailed } from '../../kinds/backup-archives/schedule.ts'
import { databaseImage, runsImage, engineVersionOf } from '../../kinds/databases/image.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { isVersionWithoutBackup } from '../../kinds/databases/last-backup.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { deployRequestOf } from '../../kinds/provision/deploy-request.ts'
import { askBackup, backupRefusal } from '../../records/backups/ask-backup.ts'
import { awaitLastBackup, waitingFor } from '../backups/last-backup.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { writeStatus } from '../kube/write-status.ts'
import { type Pass, permanent } from '../provision/step.ts'
import { dataVersionOf, readOperated, readVolume, specOf } from './server.ts'

/** Whether the database was ready once: without its connection Secret no client has written data into it. */
const wasReady = ({ status }: Database): boolean => status?.connectionSecret !== undefined

/** Waits for the last backup before a deletion; skipped once the status names it. */
export const lastBackup =
  (needs: ActivityNeeds): Pass<Database> =>
  async (database) => {
    if (database.status?.lastBackup !== undefined || !wasReady(database)) return undefined
    return awaitLastBackup(needs, database, {
      async ask(name, project) {
        if (backupRefusal(database, project, 'Deletion') !== '' || !(await hasData(needs, database))) return undefined
        const keepDays = specOf(database).backups.retentionDays
        return askBackup(needs, database, { name, trigger: 'Deletion', keepDays })
      },
      note: (name) =>
        writeStatus(needs.client, needs.databases, resourceTypes.database, database, { lastBackup: name }),
    })
  }

type UpgradeNeeds = Pick<ActivityNeeds, 'client' | 'projects' | 'databases' | 'backupArchives'>

/** Waits for a backup before the server's version is replaced; if the backup fails, the running server stays. */
export const backUpBeforeUpgrade =
  (needs: UpgradeNeeds): Pass<Database> =>
  async (database) => {
    const { metadata, spec } = database
    if (!wasReady(database) || isVersionWithoutBackup(database)) return undefined
    const isRefused = (project: Project | undefined) => backupRefusal(database, project, 'Upgrade') !== ''
    // A refusal by the cached project is checked live: a backup storage chosen just before the deploy has to count.
    const isKnownRefusal = isRefused(await needs.projects.read(spec.project))
    if (isKnownRefusal && isRefused(await needs.projects.readLive(spec.project))) return undefined
    const [from, to] = [await dataVersionOf(needs, database), engineVersionOf(specOf(database))]
    if (from === '' || from === to || (await isReplaced(needs, database))) return undefined
    const tried = [metadata.uid, from, to, deployRequestOf(database)?.id, metadata.annotations?.[annotations.retry]]
    const name = upgradeArchiveName(metadata.name, tried)
    const archive = await needs.backupArchives.readLive(name)
    if (archive === undefined)
      return waitingFor(await askBackup(needs, database, { name, trigger: 'Upgrade', version: from }))
    if (isVerified(archive)) return undefined
    return hasFailed(archive)
      ? permanent(
          `the backup before version ${to} failed: ${archiveState(archive).message}; retry, or deploy with backupFirst off`,
        )
      : waitingFor(archive)
  }

/** Whether the data exists and is not being deleted: an earlier release of svc may have begun the removal. */
async function hasData(needs: ActivityNeeds, database: Database): Promise<boolean> {
  const found = (await readVolume(needs, database)) ?? (await readOperated(needs, database))
  return found !== undefined && found.metadata.deletionTimestamp === undefined
}

/** Whether the server of the new version was applied already, after an earlier backup. */
async function isReplaced({ client }: UpgradeNeeds, database: Database): Promise<boolean> {
  const spec = specOf(database)
  const ref = { type: coreTypes.statefulSet, namespace: homeOf(spec), name: database.metadata.name }
  const set = await client.get<Sent<V1StatefulSet>>(ref)
  return runsImage(set?.spec?.template.spec?.containers[0]?.image ?? '', databaseImage(spec))
}
