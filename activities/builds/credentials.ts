/**
 * The login for the repository of a build: a Secret that a user created for the project, else the deploy key of the
 * service if the address is ssh, else a token of the git host's app
 * (docs/reference/builds.md#repositories).
 */
import { textsOf } from '../../cluster/objects/secret-data.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { gitKeys } from '../../kinds/builds/job.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { cloneAddress, isSsh } from '../../kinds/builds/repository.ts'
import { isHandMadeFor } from '../../kinds/secrets/named-secret.ts'
import { readNamedSecret } from '../../records/secrets/named-secret.ts'
import { readDeployLogin } from '../../records/secrets/deploy-key.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { gitHostLinkOf } from '../context/git-host-link.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { appendAttemptLog } from '../../records/store/attempt-history.ts'

export type GitAccess =
  /** `login` is empty if none is needed; `address` is the URL that git clones. */
  | { state: 'ready'; login: Readonly<Record<string, string>>; address: string }
  | { state: 'refused'; message: string }
  /** The git host does not answer at the moment. */
  | { state: 'waiting'; message: string }

/** Each call requests a new token, which is valid for an hour and for the contents of this one repository. */
export async function gitAccessOf(needs: ActivityNeeds, build: Build, app: App): Promise<GitAccess> {
  const { connectionRef, repository } = build.spec
  const address = cloneAddress(repository, needs.gitHost.web) ?? ''
  const name = connectionRef?.name ?? ''
  if (name === '') {
    const key = isSsh(address) ? await readDeployLogin(needs.client, app) : undefined
    return key === undefined ? appAccess(needs, build, app, address) : { state: 'ready', login: key, address }
  }
  const login = await handMadeLogin(needs, name, build.spec.project)
  return typeof login === 'string' ? { state: 'refused', message: login } : { state: 'ready', login, address }
}

/** The login in the named Secret, or a sentence why the Secret cannot be used. */
async function handMadeLogin(
  { client }: Pick<ActivityNeeds, 'client'>,
  name: string,
  project: string,
): Promise<Record<string, string> | string> {
  const secret = await readNamedSecret(client, name, isHandMadeFor(project))
  if (secret === undefined) return `the login of the repository, Secret ${name}, is not there for this project`
  const isKey = (key: string) => gitKeys.some((each) => each === key)
  const login = Object.fromEntries(Object.entries(textsOf(secret)).filter(([key]) => isKey(key)))
  return 'token' in login || 'ssh-privatekey' in login
    ? login
    : `the login of the repository, Secret ${name}, has neither a token nor an ssh-privatekey`
}

/** A token of the app. If the installation has no access, the repository may be public: it is read without a login. */
async function appAccess(needs: ActivityNeeds, build: Build, app: App, address: string): Promise<GitAccess> {
  const open = { state: 'ready', login: {}, address } as const
  const link = await gitHostLinkOf(needs, build.spec)
  if (link === undefined) return open
  const { repository, installation } = link
  try {
    const token = await needs.gitHost.readToken(link.app, installation, repository)
    return { state: 'ready', login: { token }, address: cloneAddress(repository, needs.gitHost.web) ?? address }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    if (error.passing)
      return { state: 'waiting', message: `waiting for the git host to give a token: ${error.message}` }
    const text = `the git host gives no token for ${repository}, so it is fetched without a login: ${error.message}`
    await appendAttemptLog(needs, viewOf(app), build.spec.attempt, [{ at: needs.now().toISOString(), text }])
    return open
  }
}
