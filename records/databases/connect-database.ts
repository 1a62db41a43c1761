/** Connects a database on a server elsewhere, and changes its login later. */
import { isUnreachable } from '../../cluster/objects/errors.ts'
import { defined } from '../../contract/defined.ts'
import type { Params } from '../../contract/operations.ts'
import { refuse } from '../../contract/problem.ts'
import { databaseVariant } from '../../kinds/databases/draft.ts'
import { type Database, type DatabaseSpec, databaseSpec } from '../../kinds/databases/kind.ts'
import { enginePorts } from '../../kinds/databases/names.ts'
import { withRequiredTags } from '../../kinds/databases/settings.ts'
import type { DeployRequest } from '../../kinds/provision/deploy-request.ts'
import { withRequest } from '../../kinds/provision/draft.ts'
import { makeNamed } from '../place/place.ts'
import {
  type ExternalLogin,
  type LoginOwner,
  passwordKey,
  readExternalLogin,
  removeExternalLogin,
  serverText,
  writeExternalLogin,
} from '../secrets/external-login.ts'
import { editRecord, found } from '../store/edit-record.ts'
import { createUnder } from './create-database.ts'
import type { DatabaseNeeds } from './needs.ts'
import { requiredTagsOf } from './required-tags.ts'

/** The fields of `POST /databases/connect`. */
type Wanted = Params<'databases.connect'>

/** The fields of `POST /databases/{db}/login` that are about the login. */
type Login = Omit<Params<'databases.change-login'>, 'db'>

/**
 * 1. The Secret with the login. 2. The record that names the Secret, created as deployed. A crash between the two
 * leaves a Secret that no record names, which the resync deletes; a repeated request starts anew. Throws Problem
 * not_found, invalid_request.
 */
export async function connectDatabase(
  needs: DatabaseNeeds,
  { project, environment, engine, name: wanted, databaseName, ...login }: Wanted,
  request: DeployRequest,
): Promise<Database> {
  const { host, username, port = enginePorts[engine] } = login
  const bare = databaseSpec.parse({
    project,
    environment,
    engine,
    placement: 'External',
    mode: 'Connect',
    externalHost: host,
    externalPort: port,
    externalUsername: username,
    ...defined({ databaseName }),
  })
  const spec = withRequiredTags(bare, await requiredTagsOf(needs, project))
  return makeNamed(needs, 'database', spec, wanted, (name) =>
    named(needs, { project, database: name }, { ...login, port }, (externalPasswordRef) =>
      createUnder(needs, name, { ...spec, externalPasswordRef }, request),
    ),
  )
}

/**
 * 1. A Secret with the new login. 2. The record names it, deployed in the same write. 3. The former Secret is deleted.
 * A crash in between leaves either the old or the new login, each complete, and a Secret that the resync deletes.
 * Fields that are not given stay. Throws Problem not_found, invalid_request.
 */
export async function changeLogin(
  needs: DatabaseNeeds,
  name: string,
  wanted: Login,
  request: DeployRequest,
  ifMatch?: string,
): Promise<Database> {
  const database = found('database', await needs.databases.readLive(name))
  const owner = { project: database.spec.project, database: name }
  const { externalUsername, ...known } = await knownLogin(needs, database, wanted)
  const login = { ...known, ...defined(wanted) }
  let before: DatabaseSpec['externalPasswordRef']
  const saved = await named(needs, owner, login, (externalPasswordRef) =>
    editRecord<Database>(
      needs.databases,
      'database',
      name,
      (current) => {
        // An earlier write of this call, whose answer was lost: another may have deployed since.
        if (current.spec.externalPasswordRef?.name === externalPasswordRef.name) return current
        refuseNotConnected(current.spec)
        before = current.spec.externalPasswordRef
        const change = {
          externalHost: login.host,
          externalPort: login.port,
          externalUsername: wanted.username ?? externalUsername,
          externalPasswordRef,
        }
        return withRequest<DatabaseSpec, Database>({ ...current, spec: { ...current.spec, ...change } }, request)
      },
      ifMatch,
    ),
  )
  if (before !== undefined) await removeExternalLogin(needs.client, owner, before.name)
  return saved
}

type WholeLogin = Pick<Wanted, 'host' | 'password' | 'caCertificate'> & { port: number; sslMode?: string | undefined }

/** Writes the Secret, and deletes it when the record that is to name it is refused. */
async function named(
  { client, now }: DatabaseNeeds,
  owner: LoginOwner,
  { host, port, password, sslMode, caCertificate }: WholeLogin,
  write: (ref: { name: string; key: string }) => Promise<Database>,
): Promise<Database> {
  const login: ExternalLogin = {
    password,
    ...defined({ sslmode: sslMode, ca: caCertificate === '' ? undefined : caCertificate }),
  }
  const secret = await writeExternalLogin(client, owner, { server: serverText(host, port), login, now: now() })
  try {
    return await write({ name: secret, key: passwordKey })
  } catch (error) {
    // After a lost answer it is not known whether the record was written: the resync deletes Secrets that no record
    // names.
    if (!isUnreachable(error)) await removeExternalLogin(client, owner, secret)
    throw error
  }
}

/**
 * The fields of the current login that stay. The password for one server is never used for another that only the record
 * names.
 */
async function knownLogin({ client }: DatabaseNeeds, { metadata, spec }: Database, wanted: Login) {
  refuseNotConnected(spec)
  const { project, engine, externalHost, externalUsername, externalPasswordRef } = spec
  const host = wanted.host ?? externalHost
  if (host === undefined || (wanted.username ?? externalUsername) === undefined)
    throw refuse('host and username are required')
  const port = wanted.host === undefined ? (spec.externalPort ?? enginePorts[engine]) : enginePorts[engine]
  if (externalPasswordRef === undefined) return { host, port, externalUsername }
  const server = serverText(externalHost ?? '', spec.externalPort ?? enginePorts[engine])
  const owner = { project, database: metadata.name }
  const login = await readExternalLogin(client, owner, externalPasswordRef, server)
  if (login === 'elsewhere' && wanted.host === undefined)
    throw refuse(`the login was given for another server than ${server}; say which host is meant`)
  const { sslmode: sslMode, ca: caCertificate } = typeof login === 'string' ? {} : login.texts
  return { host, port, externalUsername, ...defined({ sslMode, caCertificate }) }
}

function refuseNotConnected(spec: DatabaseSpec): void {
  if (databaseVariant(spec) !== 'connect') throw refuse('only a connected database has a login that can be changed')
}
