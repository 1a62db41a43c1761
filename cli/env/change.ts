/** `svc env set` and `svc env unset`: without `--deploy` the change is pending until the next deploy. */
import { Command } from 'commander'
import { variableRemoval } from '../../client/apps/changes.ts'
import type { Client } from '../../client/client.ts'
import type { View } from '../../contract/operations.ts'
import { changeFlags, deployChange, type ChangeFlags } from '../wait/deploy-change.ts'
import { CliError } from '../session/exit-codes.ts'
import { judgeFields, parseDurationMs } from '../session/flags.ts'
import { clientOf, openSession, type Cli, type Session } from '../session/session.ts'

interface SetFlags extends ChangeFlags {
  secret?: boolean
}

export function set(cli: Cli): Command {
  const command = new Command('set')
    .description('set variables of a service')
    .argument('<app>', 'name of the service')
    .argument('<pairs...>', 'KEY=VALUE; with --secret, KEY=- reads the value from standard input')
    .option('--secret', 'keep the values secret: they are never shown again')
  return changeFlags(command).action(async (app: string, pairs: string[], flags: SetFlags, called: Command) => {
    await runSet(await openSession(cli, called), app, pairs, flags)
  })
}

async function runSet(session: Session, app: string, texts: readonly string[], flags: SetFlags): Promise<void> {
  // All flags are checked before the first request.
  await parseDurationMs('--timeout', flags.timeout)
  const pairs = texts.map(pairOf)
  const values = flags.secret === true ? await withInput(session, pairs) : pairs
  const client = await clientOf(session)
  // One of a wrong form is found before the first is sent. What only the service can refuse stops at that one.
  const operation = flags.secret === true ? 'apps.secrets-set' : 'apps.config-set'
  for (const pair of values) await judgeFields(operation, { app, ...pair })
  for (const pair of values) await send(session, client, app, pair, flags.secret === true)
  await deployChange(session, client, app, flags, `Set ${values.map(({ key }) => key).join(', ')}`)
}

interface Pair {
  key: string
  value: string
}

/** The error does not repeat the text: it may be a secret without its name. */
function pairOf(text: string): Pair {
  const at = text.indexOf('=')
  if (at < 1) throw new CliError('usage', 'a variable is set as KEY=VALUE')
  return { key: text.slice(0, at), value: text.slice(at + 1) }
}

/** A secret on the command line shows in the list of processes; `KEY=-` reads it from standard input instead. */
async function withInput({ terminal }: Session, pairs: readonly Pair[]): Promise<readonly Pair[]> {
  const asked = pairs.filter(({ value }) => value === '-')
  if (asked.length === 0) return pairs
  if (asked.length > 1) throw new CliError('usage', 'only one value can be read from standard input')
  const input = (await terminal.readInput()).replace(/\r?\n$/, '')
  return pairs.map(({ key, value }) => ({ key, value: value === '-' ? input : value }))
}

async function send(
  { signal }: Session,
  client: Client,
  app: string,
  { key, value }: Pair,
  secret: boolean,
): Promise<void> {
  if (secret) await client.call('apps.secrets-set', { app, key, value }, { signal })
  else await client.call('apps.config-set', { app, key, value }, { signal })
}

/** Removes variables of any kind. */
export function unset(cli: Cli): Command {
  const command = new Command('unset')
    .description('take variables of a service away')
    .argument('<app>', 'name of the service')
    .argument('<keys...>', 'names of the variables')
  return changeFlags(command).action(async (app: string, keys: string[], flags: ChangeFlags, called: Command) => {
    await runUnset(await openSession(cli, called), app, keys, flags)
  })
}

async function runUnset(session: Session, app: string, keys: readonly string[], flags: ChangeFlags): Promise<void> {
  await parseDurationMs('--timeout', flags.timeout)
  const { signal } = session
  const client = await clientOf(session)
  const variables = await client.call('apps.variables', { app }, { signal })
  const removals = keys.map((key) => removalOf(client, app, key, variables))
  for (const remove of removals) await remove(signal)
  await deployChange(session, client, app, flags, `Unset ${keys.join(', ')}`)
}

/** @throws CliError `notFound` for a variable that the service does not have. */
function removalOf(client: Client, app: string, key: string, variables: View<'apps.variables'>) {
  const removal = variableRemoval(client, app, key, variables)
  if (removal === undefined) throw new CliError('notFound', `${app} has no variable ${key}`)
  return removal
}
