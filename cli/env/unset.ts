/** `svc env unset`: takes variables away, whatever kind they are. */
import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { View } from '../../contract/operations.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import { clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { deployChange, deployFlag, waitForChangeFlag } from './deploy-change.ts'

interface UnsetFlags extends WaitFlags {
  deploy?: boolean
}

export function unset(cli: Cli): Command {
  return new Command('unset')
    .description('take variables of a service away')
    .argument('<app>', 'name of the service')
    .argument('<keys...>', 'names of the variables')
    .option(...deployFlag)
    .option(...waitForChangeFlag)
    .option(...timeoutFlag)
    .action(async (app: string, keys: string[], flags: UnsetFlags, command: Command) => {
      await run(await openSession(cli, command), app, keys, flags)
    })
}

async function run(session: Session, app: string, keys: readonly string[], flags: UnsetFlags): Promise<void> {
  await parseDurationMs('--timeout', flags.timeout)
  const { signal } = session
  const client = await clientOf(session)
  const variables = await client.call('apps.variables', { app }, { signal })
  const removals = keys.map((key) => removalOf(client, app, key, variables))
  for (const remove of removals) await remove(signal)
  await deployChange(session, client, app, flags, `Unset ${keys.join(', ')}`)
}

/** Three kinds, three calls. @throws CliError `notFound` for a variable that is none of them. */
function removalOf(client: Client, app: string, key: string, variables: View<'apps.variables'>): (signal: AbortSignal) => Promise<unknown> {
  const { config, secrets, env } = variables
  if (Object.hasOwn(config, key)) return (signal) => client.call('apps.config-delete', { app, key }, { signal })
  if (secrets.includes(key)) return (signal) => client.call('apps.secrets-delete', { app, key }, { signal })
  if (env.some(({ name }) => name === key)) return (signal) => client.call('apps.env-delete', { app, name: key }, { signal })
  throw new CliError('notFound', `${app} has no variable ${key}`)
}
