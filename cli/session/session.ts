/** One run of a command: its flags, the settings from them and the saved login, and the client with these settings. */
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { cliVersion, configPath } from './at-start.ts'
import { readConfig, type Config } from './config-file.ts'
import { CliError } from './exit-codes.ts'
import { onlyInSaidPlace } from './said-place.ts'
import { resolveTarget, type GlobalFlags, type Target } from './target.ts'
import { plainLine, type Terminal } from './terminal.ts'
import { defined } from '../../contract/defined.ts'

export const userAgent = `svc/${cliVersion}`

/** The facilities of the process that commands use. */
export interface Cli {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly terminal: Terminal
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** A monotonic clock in milliseconds. */
  readonly now: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

export interface Session extends Cli {
  readonly flags: GlobalFlags
  readonly config: Config
  readonly configPath: string
  /** Resolved on first use: a command that creates a context may name one that is not saved yet. */
  readonly target: () => Target
}

export async function openSession(cli: Cli, command: Command): Promise<Session> {
  const flags = command.optsWithGlobals<GlobalFlags>()
  const path = configPath(cli.env)
  const config = await readConfig(path)
  return { ...cli, flags, config, configPath: path, target: () => resolveTarget(flags, cli.env, config) }
}

/** @throws CliError `notFound` without a saved login or address. */
export function addressOf(session: Session): string {
  const { url } = session.target()
  if (url !== undefined) return url
  throw new CliError('notFound', 'no saved login: sign in with `svc login --url ADDRESS`')
}

/** The client of a signed-in command; imported on demand, so that help and completion do not wait for it. */
export async function clientOf(session: Session): Promise<Client> {
  const baseUrl = addressOf(session)
  const { token } = session.target()
  if (token === undefined)
    throw new CliError('notAllowed', `not signed in to ${baseUrl}: sign in with \`svc login --url ${baseUrl}\``)
  return onlyInSaidPlace(session, await clientAt(baseUrl, token))
}

export async function clientAt(baseUrl: string, token?: string): Promise<Client> {
  const { createClient } = await import('../../client/client.ts')
  return createClient({ baseUrl, userAgent, ...defined({ token }) })
}

/** Prints the answer: as JSON with `--json`, else as the given text. */
export async function answer<View>(
  session: Session,
  view: View,
  inWords: (view: View) => void | Promise<void>,
): Promise<void> {
  if (session.flags.json === true) session.terminal.json(view)
  else await inWords(view)
}

/** What is about to be deleted for good. */
export interface Doomed {
  /** `service`, `project` */
  readonly kind: string
  /** What the user types to confirm. */
  readonly name: string
  /** Where it is, in words; read only where it is needed. It may refuse, too. */
  readonly where?: () => Promise<string>
}

/**
 * Shows what would be lost where, and asks for its name; with `--yes` it only shows it.
 * @throws CliError `usage` without a terminal, `error` when the name does not match.
 */
export async function confirmDelete(session: Session, { kind, name, where }: Doomed): Promise<void> {
  const { flags, terminal } = session
  if (flags.yes !== true && !terminal.asks)
    throw new CliError('usage', 'there is no terminal to ask for its name; add --yes')
  const what = plainLine(`${kind} ${name} (${fullPlace(session, (await where?.()) ?? '')})`)
  if (flags.yes === true) return terminal.note(`Deleting ${what} for good`)
  const typed = await terminal.ask(`Delete ${what} for good? Type its name to confirm: `)
  if (typed.trim() !== plainLine(name).trim())
    throw new CliError('error', `cancelled: the name did not match, nothing was deleted`)
}

/** `project proj-1a2b3c4d, environment production, https://svc.example.com, context prod` */
export function fullPlace(session: Session, where: string): string {
  const { url = '', context } = session.target()
  return [where, url, context === undefined ? '' : `context ${context}`].filter((part) => part !== '').join(', ')
}
