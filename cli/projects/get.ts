/** `svc projects get`. */
import { Command } from 'commander'
import { printPairs } from '../output/table.ts'
import { timeText } from '../output/value-text.ts'
import { CliError } from '../session/exit-codes.ts'
import { environmentsOf, findProjectId } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

export function get(cli: Cli): Command {
  return new Command('get')
    .description('show a project')
    .argument('[project]', 'ID or name; the one of -p if left out')
    .action(async (project: string | undefined, _: object, command: Command) => await run(await openSession(cli, command), project))
}

async function run(session: Session, named: string | undefined): Promise<void> {
  const client = await clientOf(session)
  const project = await findProjectId(session, client, named ?? session.settings().project)
  if (project === undefined) throw new CliError('usage', 'say which project: `svc projects get PROJECT`')
  const view = await client.call('projects.get', { project }, { signal: session.signal })
  const { resource } = view
  const { region } = resource.details
  await answer(session, view, () => {
    printPairs(session.terminal, [
      ['project', resource.name],
      ['name', resource.displayName],
      ['environments', environmentsOf(resource).join(', ')],
      ['region', typeof region === 'string' ? region : undefined],
      ['state', resource.state],
      ['message', resource.message],
      ['created', timeText(resource.createdAt)],
    ])
  })
}
