/** `svc login`: checks a token from standard input, or gets one by device sign-in or by password, and saves it. */
import { hostname } from 'node:os'
import { Command } from 'commander'
import { sameAddress } from '../../client/address.ts'
import { ApiError } from '../../client/api-error.ts'
import type { View } from '../../contract/operations.ts'
import { timeText } from '../output/value-text.ts'
import { writeConfig, type Config } from '../session/config-file.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, clientAt, openSession, userAgent, type Cli, type Session } from '../session/session.ts'
import { resolveTarget, type Target } from '../session/target.ts'
import { signInByDevice } from './device-sign-in.ts'

interface LoginFlags {
  tokenStdin?: boolean
  username?: string
  passwordStdin?: boolean
}

export function login(cli: Cli): Command {
  return new Command('login')
    .description('sign in to a service and remember it')
    .option('--token-stdin', 'read an API token from standard input instead of signing in with a browser')
    .option(
      '--username <name>',
      'sign in as this user with a password, which is asked for where SVC_PASSWORD is not set',
    )
    .option('--password-stdin', 'with --username: read the password from standard input')
    .addHelpText(
      'after',
      '\nExamples:\n  svc login --url https://svc.example.com\n  svc login --url https://svc.example.com --token-stdin < token.txt\n  svc login --url http://127.0.0.1:8085 --username admin',
    )
    .action(async (flags: LoginFlags, command: Command) => await run(await openSession(cli, command), flags))
}

async function run(session: Session, flags: LoginFlags): Promise<void> {
  const { url } = targetOf(session)
  if (url === undefined) throw new CliError('usage', 'say which service to sign in to: `svc login --url ADDRESS`')
  const token = await tokenOf(session, flags, url)
  // An invalid token is never saved.
  const me = await (await clientAt(url, token)).call('platform.me', {}, { signal: session.signal })
  const name = await save(session, url, token)
  if (session.env['SVC_TOKEN']) session.terminal.note('note: SVC_TOKEN is set and goes before the saved login')
  await answer(session, me, (view) => session.terminal.line(welcome(view, url, name)))
}

/** A named context that is not saved yet inherits nothing from saved ones. */
function targetOf({ flags, env, config, target }: Session): Target {
  const named = flags.context || env['SVC_CONTEXT']
  if (named === undefined || named === '' || config.contexts[named] !== undefined) return target()
  const { context: _, ...others } = flags
  return resolveTarget(others, { ...env, SVC_CONTEXT: undefined }, { contexts: {} })
}

async function tokenOf(session: Session, flags: LoginFlags, url: string): Promise<string> {
  const { tokenStdin, username, passwordStdin } = flags
  if (username === undefined && passwordStdin === true) throw new CliError('usage', '--password-stdin needs --username')
  if (username !== undefined && tokenStdin === true)
    throw new CliError('usage', '--username and --token-stdin cannot be used together')
  if (username !== undefined) return await tokenByPassword(session, url, username, passwordStdin === true)
  if (tokenStdin === true) return await readToken(session)
  return session.flags.token || (await signInByDevice(session, await clientAt(url)))
}

async function readToken(session: Session): Promise<string> {
  const token = (await session.terminal.readInput()).trim()
  if (token === '' || /\s/.test(token)) throw new CliError('usage', 'no API token on standard input')
  return token
}

/** Project and environment saved for the address are kept; the new login becomes the current one. */
async function save({ config, configPath, flags, env }: Session, url: string, token: string): Promise<string> {
  const known = Object.entries(config.contexts).find(([, context]) => sameAddress(context.url, url))
  const name = flags.context || env['SVC_CONTEXT'] || known?.[0] || new URL(url).host
  const before = config.contexts[name]
  const kept = before !== undefined && sameAddress(before.url, url) ? before : {}
  const chosen = {
    ...(flags.project ? { project: flags.project } : {}),
    ...(flags.environment ? { environment: flags.environment } : {}),
  }
  const next: Config = {
    currentContext: name,
    contexts: { ...config.contexts, [name]: { ...kept, ...chosen, url, token } },
  }
  await writeConfig(configPath, next)
  return name
}

function welcome(me: View<'platform.me'>, url: string, name: string): string {
  const until = me.expiresAt === undefined || me.expiresAt === null ? '' : `, until ${timeText(me.expiresAt)}`
  return `Signed in to ${url} as ${me.username || me.role} (${me.role}${until}), saved as context ${name}`
}

/** @throws CliError `notAllowed` for a wrong password, or a user who may not make tokens. */
async function tokenByPassword(session: Session, url: string, username: string, fromInput: boolean): Promise<string> {
  const { terminal, signal } = session
  const password = fromInput
    ? (await terminal.readInput()).replace(/\r?\n$/, '')
    : session.env['SVC_PASSWORD'] || (await terminal.askSecret(`Password of ${username}: `))
  const { signInByPassword } = await import('../../client/password-sign-in.ts')
  const { deviceTokenDays, tokenNameMax } = await import('../../contract/limits.ts')
  const tokenName = `svc on ${hostname()}`.slice(0, tokenNameMax)
  try {
    return await signInByPassword({
      baseUrl: url,
      username,
      password,
      tokenName,
      expiresInDays: deviceTokenDays,
      userAgent,
      signal,
    })
  } catch (error) {
    // The dashboard route answers a wrong password with 400; a shell gets the exit code of a refused sign-in.
    if (error instanceof ApiError && error.status < 500) throw new CliError('notAllowed', error.message, error)
    throw error
  }
}
