/** The provisioned kinds with their rules, activities and watch: a further kind is one more row. */
import type { RecordOf } from '../kinds/definitions.ts'
import { archiveRules } from '../kinds/backup-archives/rules.ts'
import { connectionRules } from '../kinds/cloud-connections/rules.ts'
import { databaseRules } from '../kinds/databases/draft.ts'
import { logicalDatabaseRules } from '../kinds/logical-databases/rules.ts'
import type { ProvisionedKind } from '../kinds/meta/resource-types.ts'
import { storeRules } from '../kinds/object-stores/draft.ts'
import type { ProvisionRules } from '../kinds/provision/plan.ts'
import { createBackupActivities } from './backup-archives/activities.ts'
import { archiveWatch } from './backup-archives/watch-rules.ts'
import { createCloudConnectionActivities } from './cloud-connections/activities.ts'
import { connectionWatch } from './cloud-connections/watch-rules.ts'
import type { ActivityNeeds } from './context/needs.ts'
import { createDatabaseActivities } from './databases/activities.ts'
import { databaseWatch } from './databases/watch-rules.ts'
import { createLogicalDatabaseActivities } from './logical-databases/activities.ts'
import { logicalDatabaseWatch } from './logical-databases/watch-rules.ts'
import { createObjectStoreActivities } from './object-stores/activities.ts'
import { objectStoreWatch } from './object-stores/watch-rules.ts'
import type { WatchedCaches, WatchRules } from './provision/watch-rules.ts'

type Row<K extends ProvisionedKind> = {
  rules: ProvisionRules<RecordOf<K>>
  activities: (needs: ActivityNeeds) => object
  watch: (caches: WatchedCaches) => WatchRules<RecordOf<K>>
}

export const provisioned = {
  database: { rules: databaseRules, activities: createDatabaseActivities, watch: databaseWatch },
  logicalDatabase: {
    rules: logicalDatabaseRules,
    activities: createLogicalDatabaseActivities,
    watch: logicalDatabaseWatch,
  },
  objectStore: { rules: storeRules, activities: createObjectStoreActivities, watch: objectStoreWatch },
  backupArchive: { rules: archiveRules, activities: createBackupActivities, watch: archiveWatch },
  cloudConnection: { rules: connectionRules, activities: createCloudConnectionActivities, watch: connectionWatch },
} satisfies { [K in ProvisionedKind]: Row<K> }

/** The activities of all provisioned kinds, by their names on Temporal. */
export type ProvisionedActivities = Intersection<ReturnType<(typeof provisioned)[ProvisionedKind]['activities']>>

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

export function createProvisionedActivities(needs: ActivityNeeds): ProvisionedActivities {
  const made = Object.values(provisioned).map(({ activities }) => activities(needs))
  // The cast is safe: the object has every row's activities, which the type of Object.assign does not express.
  return combineActivities(made) as ProvisionedActivities
}

/** One object with all of these activities; throws if two have the same name. */
export function combineActivities(made: readonly object[]): object {
  const names = made.flatMap(Object.keys)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`two kinds have an activity ${twice}`)
  return Object.assign({}, ...made) as object
}
