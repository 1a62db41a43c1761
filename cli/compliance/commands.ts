/** `svc compliance`: the node tags that a project requires. */
import { Command } from 'commander'
import { printPairs } from '../output/table.ts'
import { CliError } from '../session/exit-codes.ts'
import { findProjectId } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

export function complianceCommands(cli: Cli): Command {
  const show = new Command('show')
    .description('show the node tags that the project of -p requires, and what does not keep them')
    .action(async (_: object, command: Command) => await runShow(await openSession(cli, command)))
  const set = new Command('set')
    .description('set the node tags that the project of -p requires, instead of those it has')
    .argument('<tags...>', 'compliance tags of nodes')
    .action(async (tags: string[], _: object, command: Command) => await save(await openSession(cli, command), tags))
  const clear = new Command('clear')
    .description('let the project of -p run on any node')
    .action(async (_: object, command: Command) => await save(await openSession(cli, command), []))
  return new Command('compliance')
    .description('work with the node tags that a project requires')
    .addCommand(show)
    .addCommand(set)
    .addCommand(clear)
}

async function open(session: Session) {
  const client = await clientOf(session)
  const project = await findProjectId(session, client)
  if (project === undefined) throw new CliError('usage', 'say which project with -p')
  return { client, project }
}

async function runShow(session: Session): Promise<void> {
  const { client, project } = await open(session)
  const view = await client.call('projects.compliance', { project }, { signal: session.signal })
  await answer(session, view, ({ requiredTags, region, databases, openNodes }) => {
    printPairs(session.terminal, [
      ['project', project],
      ['required tags', requiredTags.length === 0 ? 'none' : requiredTags.join(', ')],
      ['region', region],
      ...databases.map(({ name, compliant, missing }): [string, string] => [
        `database ${name}`,
        compliant ? 'compliant' : `lacks ${missing.join(', ')}`,
      ]),
      ['open nodes', openNodes.join(', ')],
    ])
  })
}

async function save(session: Session, requiredTags: string[]): Promise<void> {
  const { client, project } = await open(session)
  const view = await client.call('projects.compliance-save', { project, requiredTags }, { signal: session.signal })
  await answer(session, view, ({ requiredTags: saved }) =>
    session.terminal.line(
      saved.length === 0 ? `${project} may run on any node` : `${project} requires ${saved.join(', ')}`,
    ),
  )
}
