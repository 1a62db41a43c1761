/** Whether a server can be provisioned as its record asks: repeats the checks of the api, which kubectl bypasses. */
import { databaseName } from '../../contract/fields/patterns.ts'
import { isSharedServer } from '../../kinds/databases/draft.ts'
import type { Database, DatabaseSpec } from '../../kinds/databases/kind.ts'
import { sizeRefusal, versionRefusal } from '../../kinds/databases/upgrade.ts'
import { postgresCluster } from '../../kinds/meta/resource-types.ts'
import { awaitEnvironment } from '../context/environment-ready.ts'
import { canEnlarge } from '../kube/storage-class.ts'
import { type Pass, permanent, type Unmet, waiting } from '../provision/step.ts'
import { type DatabaseNeeds, readLogin, readOperated, readVolume, specOf, versionIn } from './server.ts'

/** Waits for the environment of a database; the shared server runs in svc-system, which always exists. */
export const awaitPlace =
  (needs: DatabaseNeeds): Pass<Database> =>
  async ({ spec }) => {
    const wait = isSharedServer(spec) ? undefined : await awaitEnvironment(needs, spec)
    return wait === undefined ? undefined : waiting(wait.message)
  }

export const checkServer =
  (needs: DatabaseNeeds): Pass<Database> =>
  async (database) => {
    const spec = specOf(database)
    if (spec.databaseName !== '' && !databaseName.test(spec.databaseName)) {
      return permanent('databaseName must use letters, digits, and underscores, and not start with a digit')
    }
    return (await checkCopies(needs, database, spec)) ?? (await checkData(needs, database, spec))
  }

async function checkCopies(needs: DatabaseNeeds, database: Database, spec: DatabaseSpec): Promise<Unmet | undefined> {
  const several = spec.highAvailability || spec.instances > 1
  if (several && spec.engine !== 'postgres') return permanent('high availability needs the engine postgres')
  const operated = (await readLogin(needs, database))?.operated
  if (several && operated === false) {
    return permanent(
      'this database runs as a single instance; create a new one with high availability and move the data',
    )
  }
  if ((several || operated === true) && !(await needs.discovery.hasType(postgresCluster))) {
    return waiting(
      operated === true
        ? 'the CloudNativePG operator, which runs this database, is not installed on this cluster any more'
        : 'high availability needs the CloudNativePG operator, which is not installed on this cluster',
    )
  }
  return undefined
}

/** Refuses a version or a size that the existing volume does not allow. */
async function checkData(needs: DatabaseNeeds, database: Database, spec: DatabaseSpec): Promise<Unmet | undefined> {
  const volume = await readVolume(needs, database)
  const operated = volume === undefined ? await readOperated(needs, database) : undefined
  const version = versionIn(volume, operated)
  const size = volume?.spec?.resources?.requests?.['storage'] ?? operated?.spec?.storage?.size
  const refusal = version === '' ? '' : versionRefusal(spec, version)
  if (refusal !== '') return permanent(refusal)
  const tooSmall =
    size === undefined
      ? ''
      : sizeRefusal(spec, size, await canEnlarge(needs.client, volume?.spec?.storageClassName ?? undefined))
  return tooSmall === '' ? undefined : permanent(tooSmall)
}
