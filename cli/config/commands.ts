/** `svc config`: the saved contexts. */
import { Command } from 'commander'
import type { Cli } from '../session/session.ts'
import { getContexts } from './get-contexts.ts'
import { setContext } from './set-context.ts'
import { useContext } from './use-context.ts'

export function configCommands(cli: Cli): Command {
  return new Command('config')
    .description('show and choose saved contexts (a service with its login and defaults)')
    .addCommand(getContexts(cli))
    .addCommand(useContext(cli))
    .addCommand(setContext(cli))
}
