/** `svc version`: this program's version, and the API line of the service when signed in to one. */
import { Command } from 'commander'
import type { View } from '../../contract/operations.ts'
import { answer, clientOf, cliVersion, openSession, type Cli, type Session } from '../session/session.ts'

export function version(cli: Cli): Command {
  return new Command('version')
    .description("show this program's version and the API line of the service")
    .action(async (_: object, command: Command) => await run(await openSession(cli, command)))
}

async function run(session: Session): Promise<void> {
  const { terminal } = session
  const json = session.flags.json === true
  if (!json) terminal.line(`svc ${cliVersion}`)
  const server = await askServer(session)
  await answer(session, { client: cliVersion, ...(server === undefined ? {} : { server }) }, () => {
    terminal.line(server === undefined ? 'not signed in to a service' : `api ${server.api} (${server.name})`)
  })
}

/** Without a login there is nobody to ask, which is no error here. */
async function askServer(session: Session): Promise<View<'platform.version'> | undefined> {
  const { url, token } = session.settings()
  if (url === undefined || token === undefined) return undefined
  return await (await clientOf(session)).call('platform.version', {}, { signal: session.signal })
}
