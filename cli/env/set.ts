/** `svc env set`: sets plain or secret variables; they wait for the next deploy unless `--deploy`. */
import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import { clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { deployChange, deployFlag, waitForChangeFlag } from './deploy-change.ts'

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
      await run(await openSession(cli, command), app, pairs, flags)
    })
}

async function run(session: Session, app: string, texts: readonly string[], flags: SetFlags): Promise<void> {
  // All are checked before the first is sent.
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

/** The text is not repeated: it may be a secret whose name was forgotten. */
function pairOf(text: string): Pair {
  const at = text.indexOf('=')
  if (at < 1) throw new CliError('usage', 'a variable is set as KEY=VALUE')
  return { key: text.slice(0, at), value: text.slice(at + 1) }
}

/** A secret on the command line can be read in the list of processes; `KEY=-` keeps it out of there. */
async function withInput({ terminal }: Session, pairs: readonly Pair[]): Promise<readonly Pair[]> {
  const asked = pairs.filter(({ value }) => value === '-')
  if (asked.length === 0) return pairs
  if (asked.length > 1) throw new CliError('usage', 'only one value can be read from standard input')
  const input = (await terminal.readInput()).replace(/\r?\n$/, '')
  return pairs.map(({ key, value }) => ({ key, value: value === '-' ? input : value }))
}

async function send({ signal }: Session, client: Client, app: string, { key, value }: Pair, secret: boolean): Promise<void> {
  if (secret) await client.call('apps.secrets-set', { app, key, value }, { signal })
  else await client.call('apps.config-set', { app, key, value }, { signal })
}
