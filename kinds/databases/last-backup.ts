/** Which changes of a database need no backup before them: the intent beside the spec (docs/reference/backups.md). */
import { annotations } from '../meta/annotations.ts'
import { draftOf } from '../provision/draft.ts'
import { deployRequestOf } from '../provision/deploy-request.ts'
import { databaseDraft, effectiveDatabaseSpec } from './draft.ts'
import { engineVersionOf } from './image.ts'
import type { Database } from './kind.ts'

/** The value is the name of the record, so that an annotation that was copied to another one means nothing there. */
export const isNotedWithoutBackup = ({ metadata }: Pick<Database, 'metadata'>): boolean =>
  metadata.annotations?.[annotations.withoutBackup] === metadata.name

/** Whether its version was deployed with the wish for none. A version that came with a later edit was not. */
export function isVersionWithoutBackup(database: Database): boolean {
  const [deployed, effective] = [draftOf(databaseDraft, database).lastDeployed, effectiveDatabaseSpec(database)]
  return (
    deployRequestOf(database)?.withoutBackup === true &&
    deployed !== undefined &&
    effective !== undefined &&
    engineVersionOf(deployed) === engineVersionOf(effective)
  )
}
