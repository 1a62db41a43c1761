/** `svc projects create`: makes a project with the environment `production`, and names it. */
import { Command } from 'commander'
import { CliError } from '../session/exit-codes.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

interface CreateFlags {
  region?: string
}

export function create(cli: Cli): Command {
  return new Command('create')
    .description('create a project with the environment production')
    .argument('[name]', 'readable name; the service picks one if left out')
    .option('--region <region>', 'where its workloads run')
    .action(async (name: string | undefined, flags: CreateFlags, command: Command) => await run(await openSession(cli, command), name, flags))
}

async function run(session: Session, displayName: string | undefined, { region }: CreateFlags): Promise<void> {
  const { terminal, signal } = session
  const client = await clientOf(session)
  const view = await client.call('projects.create', region === undefined ? {} : { region }, { signal })
  const { project } = view
  if (displayName !== undefined) {
    // Two calls: the service creates first and names second, so the ID is told even if the second is refused.
    await client.call('projects.settings-save', { project, displayName }, { signal }).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      throw new CliError('error', `project ${project} was created, but could not be named ${displayName}: ${why}`, error)
    })
  }
  await answer(session, view, () => terminal.line(`Created project ${project}${displayName === undefined ? '' : ` (${displayName})`}`))
}
