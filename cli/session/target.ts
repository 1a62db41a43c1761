/** The address, token, project and environment of a command: flag, then environment variable, then saved login. */
import { normalizeAddress, sameAddress } from '../../client/address.ts'
import type { Config, SavedContext } from './config-file.ts'
import { CliError } from './exit-codes.ts'
import { defined } from '../../contract/defined.ts'

/** The flags of every command. */
export interface GlobalFlags {
  context?: string
  url?: string
  token?: string
  project?: string
  environment?: string
  json?: boolean
  yes?: boolean
}

export interface Target {
  /** The saved context in use, if any. */
  context?: string
  url?: string
  token?: string
  project?: string
  environment?: string
}

/** What a command says of its place, and its interruption: the part of a session that finding the place takes. */
export interface PlaceAsked {
  readonly flags: GlobalFlags
  readonly target: () => Target
  readonly signal: AbortSignal
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * Settings saved for one address apply to that address only: its token, and also its project and environment, which
 * would be meaningless elsewhere.
 * @throws CliError for a named context that is not saved, for an empty `--token` and for an invalid address.
 */
export function resolveTarget(flags: GlobalFlags, env: Env, config: Config): Target {
  const named = given(flags.context) ?? given(env['SVC_CONTEXT'])
  const url = given(flags.url) ?? given(env['SVC_URL'])
  const saved = findSaved(config, named, url === undefined ? undefined : checkedAddress(url))
  // Not the saved login: the variable that was to fill the flag is missing, and so may be the rights that were meant.
  if (flags.token === '') throw new CliError('usage', '--token is empty')
  const token = given(flags.token) ?? given(env['SVC_TOKEN']) ?? saved?.entry.token
  const project = given(flags.project) ?? given(env['SVC_PROJECT']) ?? saved?.entry.project
  const environment = given(flags.environment) ?? given(env['SVC_ENVIRONMENT']) ?? saved?.entry.environment
  const address = url ?? saved?.entry.url
  return {
    ...defined({ context: saved?.name }),
    ...(address === undefined ? {} : { url: checkedAddress(address) }),
    ...defined({ token, project, environment }),
  }
}

/** @throws CliError `usage` with the reason. */
export function checkedAddress(text: string): string {
  try {
    return normalizeAddress(text)
  } catch (error) {
    throw new CliError('usage', error instanceof Error ? error.message : String(error), error)
  }
}

interface Saved {
  name: string
  entry: SavedContext
}

/** The named context, else the current one; with a given address, only a context saved for that address. */
function findSaved(config: Config, named: string | undefined, url: string | undefined): Saved | undefined {
  const at = (name: string | undefined): Saved | undefined => {
    const entry = name === undefined ? undefined : config.contexts[name]
    return name === undefined || entry === undefined ? undefined : { name, entry }
  }
  if (named !== undefined && at(named) === undefined)
    throw new CliError('notFound', `no saved context is called ${named}`)
  const candidates = named === undefined ? [config.currentContext, ...Object.keys(config.contexts)] : [named]
  const first = at(candidates[0])
  if (url === undefined) return first
  return candidates.map(at).find((saved) => saved !== undefined && sameAddress(saved.entry.url, url))
}

/** Any other empty flag, and an empty variable, counts as not given. */
const given = (value: string | undefined): string | undefined =>
  value === undefined || value === '' ? undefined : value
