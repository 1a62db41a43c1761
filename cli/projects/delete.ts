/** `svc projects delete`: deletes a project with everything in it; its readable name confirms it. */
import { Command } from 'commander'
import { actAndFollowDeletion, ofRecord } from '../records/follow-record.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import { environmentsOf } from '../../client/places.ts'
import { findProjectId } from '../session/place.ts'
import { answer, clientOf, confirmDelete, openSession, type Cli, type Session } from '../session/session.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'

export function deleteProject(cli: Cli): Command {
  return new Command('delete')
    .description('delete a project with everything in it, for good')
    .argument('[project]', 'ID or name; the one of -p if left out')
    .option('--wait', 'wait until it is gone')
    .option(...timeoutFlag)
    .action(
      async (project: string | undefined, flags: WaitFlags, command: Command) =>
        await run(await openSession(cli, command), project, flags),
    )
}

async function run(session: Session, named: string | undefined, flags: WaitFlags): Promise<void> {
  const { terminal, signal } = session
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  if (session.flags.yes !== true && !terminal.asks)
    throw new CliError('usage', 'there is no terminal to ask for its name; add --yes')
  const client = await clientOf(session)
  // A saved project is a default for work in it, not a word that deletes it.
  const meant = named ?? session.flags.project
  const project = meant === undefined ? undefined : await findProjectId(session, client, meant)
  if (project === undefined) throw new CliError('usage', 'say which project: `svc projects delete PROJECT`')
  const read = async (end: AbortSignal) => await client.call('projects.get', { project }, { signal: end })
  const { resource } = await read(signal)
  const name = resource.displayName
  const where = async () => `${project} with environments ${environmentsOf(resource).join(', ')}`
  await confirmDelete(session, { kind: 'project', name, where })
  const act = async () => await client.call('projects.settings-delete', { project, confirmName: name }, { signal })
  if (flags.wait === true) {
    const concerns = ofRecord({ resource: 'projects' }, project)
    const gone = { name, read, concerns, look: `svc projects get ${project}`, timeoutMs }
    return await actAndFollowDeletion(session, client, gone, act)
  }
  await answer(session, await act(), () => terminal.line(`Deleting ${name}`))
}
