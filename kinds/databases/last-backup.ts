/** Which changes of a database need no backup before them: the intent beside the spec (docs/reference/backups.md). */
import { annotations } from '../meta/annotations.ts'
import { draftOf } from '../provision/draft.ts'
import { deployRequestOf } from '../provision/deploy-request.ts'
import { databaseDraft, effectiveDatabaseSpec } from './draft.ts'
import { engineVersionOf } from './image.ts'
import type { Database } from './kind.ts'

/**
 * The value of the annotation is the name of the record, so that an annotation copied to another record has no effect.
 */
export const isNotedWithoutBackup = ({ metadata }: Pick<Database, 'metadata'>): boolean =>
  metadata.annotations?.[annotations.withoutBackup] === metadata.name

/** Whether the effective version was deployed with the request for no backup; a version of a later edit was not. */
export function isVersionWithoutBackup(database: Database): boolean {
  const [deployed, effective] = [draftOf(databaseDraft, database).lastDeployed, effectiveDatabaseSpec(database)]
  return (
    deployRequestOf(database)?.withoutBackup === true &&
    deployed !== undefined &&
    effective !== undefined &&
    engineVersionOf(deployed) === engineVersionOf(effective)
  )
}
