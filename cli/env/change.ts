/** `svc env set` and `svc env unset`: without `--deploy` the change is pending until the next deploy. */
import { Command } from 'commander'
import { variableRemoval } from '../../client/apps/changes.ts'
import type { Client } from '../../client/client.ts'
import type { View } from '../../contract/operations.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { actAndFollow } from '../wait/follow-deploy.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'

interface SetFlags extends WaitFlags {
  secret?: boolean
  deploy?: boolean
}

export function set(cli: Cli): Command {
  return new Command('set')
    .description('set variables of a service')
    .argument('<app>', 'name of the service')
    .argument('<pairs...>', 'KEY=VALUE; with --secret, KEY=- reads the value from standard input')
    .option('--secret', 'keep the values secret: they are never shown again')
    .option(...deployFlag)
    .option(...waitForChangeFlag)
    .option(...timeoutFlag)
    .action(async (app: string, pairs: string[], flags: SetFlags, command: Command) => {
      await runSet(await openSession(cli, command), app, pairs, flags)
    })
}

async function runSet(session: Session, app: string, texts: readonly string[], flags: SetFlags): Promise<void> {
  // All flags are checked before the first request.
  await parseDurationMs('--timeout', flags.timeout)
  const pairs = texts.map(pairOf)
  const values = flags.secret === true ? await withInput(session, pairs) : pairs
  const client = await clientOf(session)
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

interface UnsetFlags extends WaitFlags {
  deploy?: boolean
}

/** Removes variables of any kind. */
export function unset(cli: Cli): Command {
  return new Command('unset')
    .description('take variables of a service away')
    .argument('<app>', 'name of the service')
    .argument('<keys...>', 'names of the variables')
    .option(...deployFlag)
    .option(...waitForChangeFlag)
    .option(...timeoutFlag)
    .action(async (app: string, keys: string[], flags: UnsetFlags, command: Command) => {
      await runUnset(await openSession(cli, command), app, keys, flags)
    })
}

async function runUnset(session: Session, app: string, keys: readonly string[], flags: UnsetFlags): Promise<void> {
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

const deployFlag = ['--deploy', 'deploy the service with the change'] as const
const waitForChangeFlag = ['--wait', 'deploy and wait until it is complete or has failed'] as const

/** Ends a change of variables: with nothing, a deploy, or a deploy and a wait for it. */
async function deployChange(
  session: Session,
  client: Client,
  app: string,
  flags: WaitFlags & { deploy?: boolean },
  done: string,
): Promise<void> {
  const { terminal, signal } = session
  const json = session.flags.json === true
  const deploy = async (): Promise<void> => void (await client.call('apps.deploy', { app }, { signal }))
  if (flags.wait === true) {
    if (!json) terminal.line(`${done}; deploying ${app}`)
    return await actAndFollow(session, client, app, flags, deploy)
  }
  if (flags.deploy === true) await deploy()
  await answer(session, { ok: true, deployed: flags.deploy === true }, () => {
    terminal.line(
      flags.deploy === true
        ? `${done}; the deploy of ${app} was accepted`
        : `${done}; it takes effect with the next deploy: \`svc deploy ${app}\``,
    )
  })
}
