/**
 * A database at PlanetScale: looked up before it is created, its password created and stored in one pass, and removed
 * with the record.
 */
import { z } from 'zod'
import { isAbandoned } from '../../kinds/provision/abandon.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { nameAtPlanetScale } from '../../kinds/databases/names.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { PlanetScale } from '../../outside/planetscale/planetscale.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { readAccount } from '../../records/cloud-connections/read-account.ts'
import { staysAtPlanetScale } from '../../records/databases/stays-there.ts'
import { recordAbandoned } from '../provision/abandoned.ts'
import { awaitCutOffCalls } from '../provision/cut-off-calls.ts'
import { readConnectionSecret } from '../kube/connection-secret.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { failing, type Pass, permanent, type Unmet, waiting } from '../provision/step.ts'
import { specOf } from './server.ts'
import { writeStatus } from '../kube/write-status.ts'
import { keepConnection } from './write-connection.ts'

const made = z.object({ ready: z.boolean().default(false), default_branch: z.string().default('main') })
const branch = z.object({ ready: z.boolean().default(false) })
const passwords = z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })).default([]) })
const password = z.object({ username: z.string(), plain_text: z.string(), access_host_url: z.string() })

/** Name of the password that svc creates there; a password of this name whose text is lost is replaced. */
const passwordName = 'svc'

type Work = (account: PlanetScale, database: Database) => Promise<Unmet | undefined>

/**
 * Runs `work` with the account of the record's connection. The step waits for an unusable connection, and for
 * PlanetScale when it does not answer; a refusal by PlanetScale is a failure.
 */
const inOrganization =
  ({ client, clouds }: Pick<ActivityNeeds, 'client' | 'clouds'>, work: Work): Pass<Database> =>
  async (database) => {
    const { project, connectionRef } = specOf(database)
    if (connectionRef === undefined) return permanent('an external database needs a provider and a connectionRef')
    const found = await readAccount(client, connectionRef.name, { project, provider: 'PlanetScale' })
    if ('unmet' in found) return waiting(found.unmet)
    const { token = '', organization = '' } = found.keys
    try {
      return await work(clouds.planetScale({ token, organization }), database)
    } catch (error) {
      if (error instanceof UpstreamError) return error.passing ? waiting(error.message) : failing(error.message)
      throw error
    }
  }

/** Reads a path at PlanetScale; undefined for a 404. */
async function getIfThere(account: PlanetScale, path: string): Promise<unknown> {
  try {
    return await account.ask('GET', path)
  } catch (error) {
    if (error instanceof UpstreamError && error.status === 404) return undefined
    throw error
  }
}

export const makeAtPlanetScale = (needs: Pick<ActivityNeeds, 'client' | 'clouds' | 'databases'>): Pass<Database> =>
  inOrganization(needs, async (account, database) => {
    if (specOf(database).engine !== 'mysql') return permanent('a database at PlanetScale must be mysql')
    const name = nameAtPlanetScale(database)
    const there = await getIfThere(account, `/databases/${name}`)
    if (there === undefined) {
      // The status is written first, so that a removal knows that the database may exist.
      await writeStatus<Database>(needs.client, needs.databases, resourceTypes.database, database, {
        targetNamespace: homeOf(database.spec),
      })
      await account.ask('POST', '/databases', { name, notes: `made by svc for ${database.metadata.name}` })
      return waiting('PlanetScale is making the database')
    }
    const { ready, default_branch: main } = made.parse(there)
    const state = ready ? await getIfThere(account, `/databases/${name}/branches/${main}`) : undefined
    return state !== undefined && branch.parse(state).ready ? undefined : waiting('PlanetScale is making the database')
  })

/**
 * Creates and stores a password. PlanetScale returns its text only on creation, so a password that was created but not
 * stored is deleted first.
 */
export const writePlanetScaleConnection = (needs: ActivityNeeds): Pass<Database> =>
  inOrganization(needs, async (account, database) => {
    const name = nameAtPlanetScale(database)
    const {
      host = '',
      port = '',
      username = '',
      password: secret = '',
    } = (await readConnectionSecret(needs.client, database)) ?? {}
    if (host !== '' && secret !== '') {
      await keepConnection(needs, database, { host, port: Number(port), database: name, username, password: secret })
      return undefined
    }
    const { default_branch: main } = made.parse(await account.ask('GET', `/databases/${name}`))
    const path = `/databases/${name}/branches/${main}/passwords`
    const { data } = passwords.parse(await account.ask('GET', path))
    for (const old of data.filter((each) => each.name === passwordName))
      await account.ask('DELETE', `${path}/${old.id}`)
    const fresh = password.parse(await account.ask('POST', path, { name: passwordName, role: 'admin' }))
    await keepConnection(needs, database, {
      host: fresh.access_host_url,
      port: 3306,
      database: name,
      username: fresh.username,
      password: fresh.plain_text,
    })
    return undefined
  })

/**
 * Deletes the database with its passwords, also one whose creation came about late. A connection that is gone or
 * refused keeps the record in deletion, since the database would be left behind; unless the record is abandoned.
 */
export const removeAtPlanetScale = (
  needs: Pick<ActivityNeeds, 'client' | 'clouds' | 'cloudSettleMs' | 'log' | 'now'>,
): Pass<Database> => {
  const remove = inOrganization(needs, async (account, database) => {
    const path = `/databases/${nameAtPlanetScale(database)}`
    // Decided before the look: what comes about until then is found by it.
    const awaited = awaitCutOffCalls(needs, database, 'PlanetScale')
    if ((await getIfThere(account, path)) === undefined) return awaited
    await account.ask('DELETE', path)
    return waiting('PlanetScale is removing the database')
  })
  return async (database) => {
    if (database.status?.targetNamespace === undefined) return undefined
    if (!isAbandoned(database)) return remove(database)
    await recordAbandoned(needs, database, await staysAtPlanetScale(needs.client, database))
    return undefined
  }
}
