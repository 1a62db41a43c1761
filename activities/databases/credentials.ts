/**
 * Generates the passwords of a server once and stores them in one write; a lost Secret is created again from the
 * remaining ones.
 */
import { randomInt } from 'node:crypto'
import type { V1Secret } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { isRecovered } from '../../kinds/backup-archives/wal/rules.ts'
import type { Database, DatabaseSpec } from '../../kinds/databases/kind.ts'
import { adminSecretName, firstLogin, passwordSecretName } from '../../kinds/databases/names.ts'
import { databaseCopies } from '../../kinds/databases/sizes.ts'
import { authFile, authFileOf } from '../../kinds/databases/start-script.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { postgresCluster } from '../../kinds/meta/resource-types.ts'
import { administrators, isSqlEngine } from '../../kinds/sql-engines.ts'
import { readConnectionSecret } from '../kube/connection-secret.ts'
import { readKeptSecret } from '../kube/own-secret.ts'
import { type Pass, permanent } from '../provision/step.ts'
import {
  type DatabaseNeeds,
  type Login,
  operatedNote,
  readLogin,
  readOperated,
  readVolume,
  secretLabels,
  specOf,
} from './server.ts'

/**
 * 1. Creates the Secret of the login, which holds the administrator's password too: one write stores both.
 * 2. Creates the Secret of the administrator from it. If a volume with data exists no password is generated, since the
 *   data keeps the old one.
 */
export const makeCredentials =
  (needs: DatabaseNeeds): Pass<Database> =>
  async (database) => {
    const spec = specOf(database)
    const { name } = database.metadata
    const login = (await readLogin(needs, database)) ?? (await makeLogin(needs, database, spec))
    if (login === undefined) {
      return permanent(
        `the passwords of this database are gone, and its data still has them: restore the Secret ${passwordSecretName(name)}, or delete the database`,
      )
    }
    const { engine } = spec
    if (!isSqlEngine(engine)) return undefined
    const known = await readAdministrator(needs, database)
    if (known === undefined) {
      const texts = { username: administrators[engine], password: login.adminPassword }
      await needs.client.create(coreTypes.secret, secretOf(database, spec, adminSecretName(name), texts))
    }
    return undefined
  }

/** Creates the Secret of the login; undefined if data exists whose passwords are lost. */
async function makeLogin(needs: DatabaseNeeds, database: Database, spec: DatabaseSpec): Promise<Login | undefined> {
  const { name } = database.metadata
  const [volume, cluster] = await Promise.all([readVolume(needs, database), readOperated(needs, database)])
  const hasData = volume !== undefined || cluster !== undefined
  const invented = () => (hasData ? undefined : password())
  const own = (await readConnectionSecret(needs.client, database))?.['password'] ?? invented()
  const admin = isSqlEngine(spec.engine)
    ? ((await readAdministrator(needs, database))?.values['password'] ?? invented())
    : ''
  if (own === undefined || admin === undefined) return undefined
  const operated = cluster !== undefined || (!hasData && (await isForOperator(needs, spec)))
  const username = firstLogin(name, spec)
  const texts = {
    username,
    password: own,
    ...(admin === '' ? {} : { adminPassword: admin }),
    ...(spec.engine === 'sqlite' ? { [authFile]: authFileOf(username, own) } : {}),
  }
  await needs.client.create(
    coreTypes.secret,
    secretOf(database, spec, passwordSecretName(name), texts, { [operatedNote]: String(operated) }),
  )
  return { username, password: own, adminPassword: admin, operated }
}

/**
 * Whether the operator runs this database. Not one that is restored to a moment after its backup: its volume is filled
 * before the server exists, and the operator would ignore that volume and start empty. Several copies are always the
 * operator's, and are restored from the dumps.
 */
async function isForOperator(needs: DatabaseNeeds, spec: DatabaseSpec): Promise<boolean> {
  if (spec.engine !== 'postgres' || !(await needs.discovery.hasType(postgresCluster))) return false
  const { restoreFrom: from } = spec
  if (from === undefined || databaseCopies(spec) > 1) return true
  const archive = await needs.backupArchives.readLive(from.archive)
  return archive === undefined || !isRecovered(archive, from.point)
}

const readAdministrator = ({ client }: DatabaseNeeds, { metadata: { name, uid = '' }, spec }: Database) =>
  readKeptSecret(client, { name: adminSecretName(name), namespace: homeOf(spec), owner: uid })

function secretOf(
  database: Database,
  spec: DatabaseSpec,
  name: string,
  texts: Record<string, string>,
  notes: Record<string, string> = {},
): Sent<V1Secret> {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: homeOf(spec), labels: secretLabels(database, spec), annotations: notes },
    type: 'kubernetes.io/basic-auth',
    stringData: texts,
  }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const passwordLength = 32

/** A password of letters and digits only, so that no engine, shell or URL needs it escaped. */
function password(): string {
  return Array.from({ length: passwordLength }, () => letters[randomInt(letters.length)]).join('')
}
