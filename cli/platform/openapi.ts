/** `svc openapi`: the OpenAPI document of the service, as JSON. */
import { Command } from 'commander'
import { clientOf, openSession, type Cli } from '../session/session.ts'

export function openapi(cli: Cli): Command {
  return new Command('openapi').description('print the OpenAPI document of the service').action(async (_: object, command: Command) => {
    const session = await openSession(cli, command)
    session.terminal.json(await (await clientOf(session)).call('platform.openapi', {}, { signal: session.signal }))
  })
}
