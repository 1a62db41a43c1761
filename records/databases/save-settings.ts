/** Saves settings of a database: those of backups apply at once, the others wait for a deploy. */
import { canonical } from '../../kinds/meta/digest.ts'
import { databaseDraft, effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { type DatabaseSettings, withDatabaseSettings, withRequiredTags } from '../../kinds/databases/settings.ts'
import { withEdit } from '../../kinds/provision/draft.ts'
import { withLiveEditor } from '../../kinds/provision/edited-by.ts'
import { editRecord } from '../store/edit-record.ts'
import type { DatabaseNeeds } from './needs.ts'
import { requiredTagsOf } from './required-tags.ts'

/**
 * One conditional write; returns whether a setting of a deployed database applied at once. Throws Problem not_found,
 * invalid_request.
 */
export async function saveDatabaseSettings(
  needs: Pick<DatabaseNeeds, 'databases' | 'expandable' | 'projects'>,
  name: string,
  settings: DatabaseSettings,
  ifMatch?: string,
  actor?: string,
): Promise<{ liveChanged: boolean }> {
  let liveChanged = false
  const requiredTags = await requiredTagsOf(needs, (await needs.databases.read(name))?.spec.project ?? '')
  await editRecord<Database>(
    needs.databases,
    'database',
    name,
    (database) => {
      const running = effectiveDatabaseSpec(database)
      const asked = withDatabaseSettings(database.spec, settings, { running, expandable: needs.expandable() })
      const spec = settings.runOnTags === undefined ? asked : withRequiredTags(asked, requiredTags)
      liveChanged ||= running !== undefined && canonical(running.backups) !== canonical(spec.backups)
      return withLiveEditor(effectiveDatabaseSpec, database, withEdit(databaseDraft, database, spec), actor)
    },
    ifMatch,
  )
  return { liveChanged }
}
