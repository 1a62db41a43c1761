/** `svc projects`: projects and their environments. */
import { Command } from 'commander'
import { addOperations } from '../operations/operation-command.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { printPairs } from '../output/table.ts'
import { detailText, timeText } from '../output/value-text.ts'
import type { Client } from '../../client/client.ts'
import { environmentsOf } from '../../client/places.ts'
import { CliError } from '../session/exit-codes.ts'
import { judgeFields, parseDurationMs } from '../session/flags.ts'
import { findProjectId } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { defined } from '../../contract/defined.ts'
import { deleteProject } from './delete.ts'
import { followProject, waitUntilSetUp } from './follow-project.ts'
import { environmentRows, projectRows, variableRows, webhookRows } from './operations.ts'
import { listEnvironments, listVariables, listWebhooks } from './parts.ts'

export function projectCommands(cli: Cli): Command {
  const projects = new Command('projects')
    .alias('project')
    .description('work with projects')
    .addCommand(list(cli))
    .addCommand(get(cli))
    .addCommand(create(cli))
    .addCommand(deleteProject(cli))
  return addOperations(projects, projectRows, cli)
}

/** `svc environments`, `svc variables`, `svc webhooks`: parts of a project. */
export const projectParts = {
  environments: (cli: Cli) =>
    addOperations(
      group('environments', 'environment', 'work with environments of a project').addCommand(listEnvironments(cli)),
      environmentRows,
      cli,
    ),
  variables: (cli: Cli) =>
    addOperations(
      group('variables', 'variable', 'work with shared variables of a project').addCommand(listVariables(cli)),
      variableRows,
      cli,
    ),
  webhooks: (cli: Cli) =>
    addOperations(
      group('webhooks', 'webhook', 'work with webhooks of a project').addCommand(listWebhooks(cli)),
      webhookRows,
      cli,
    ),
}

const group = (name: string, alias: string, description: string): Command =>
  new Command(name).alias(alias).description(description)

function list(cli: Cli): Command {
  const command = new Command('list').alias('ls').description('list projects')
  return listFlags(command).action(
    async (flags: ListFlags, called: Command) => await runList(await openSession(cli, called), flags),
  )
}

async function runList(session: Session, flags: ListFlags): Promise<void> {
  const view = await (await clientOf(session)).call('projects.list', {}, { signal: session.signal })
  await answerList(session, view, flags, {
    items: view.items,
    columns: {
      project: (it) => it.name,
      name: (it) => it.displayName,
      environments: (it) => environmentsOf(it).join(', '),
      state: (it) => it.state,
      message: (it) => it.message,
    },
    more: { region: (it) => detailText(it.details['region']), created: (it) => timeText(it.createdAt) },
    none: 'no projects yet; `svc projects create NAME` makes one',
  })
}

function get(cli: Cli): Command {
  return new Command('get')
    .description('show a project')
    .argument('[project]', 'ID or name; the one of -p if left out')
    .action(
      async (project: string | undefined, _: object, command: Command) =>
        await runGet(await openSession(cli, command), project),
    )
}

async function runGet(session: Session, named: string | undefined): Promise<void> {
  const client = await clientOf(session)
  const project = await findProjectId(session, client, named ?? session.target().project)
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

interface CreateFlags extends WaitFlags {
  region?: string
}

/** Creates a project with the environment `production`, and names it. */
function create(cli: Cli): Command {
  return new Command('create')
    .description('create a project with the environment production')
    .argument('[name]', 'readable name; the service picks one if left out')
    .option('--region <region>', 'where its workloads run')
    .option('--wait', waitUntilSetUp)
    .option(...timeoutFlag)
    .action(
      async (name: string | undefined, flags: CreateFlags, command: Command) =>
        await runCreate(await openSession(cli, command), name, flags),
    )
}

async function runCreate(session: Session, displayName: string | undefined, flags: CreateFlags): Promise<void> {
  const { terminal, signal } = session
  const client = await clientOf(session)
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  if (displayName !== undefined) await judgeName(session, client, displayName)
  const view = await client.call('projects.create', defined({ region: flags.region }), { signal })
  const { project } = view
  if (displayName !== undefined) {
    // Two calls, one to create and one to name: the ID is printed even if the second is refused.
    await client.call('projects.settings-save', { project, displayName }, { signal }).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      throw new CliError(
        'error',
        `project ${project} was created, but could not be named ${displayName}: ${why}`,
        error,
      )
    })
  }
  const words = `Created project ${project}${displayName === undefined ? '' : ` (${displayName})`}`
  if (flags.wait !== true) return await answer(session, view, () => terminal.line(words))
  if (session.flags.json !== true) terminal.line(words)
  await followProject(session, client, { noun: 'creation', goal: 'ready', name: project, project, timeoutMs })
}

/**
 * Judges a name as the service does, before a project is made that could not be called so.
 * @throws CliError `error` with the sentence of the service
 */
async function judgeName({ signal }: Session, client: Client, displayName: string): Promise<void> {
  await judgeFields('projects.settings-save', { project: 'proj-00000000', displayName })
  const { items } = await client.call('projects.list', {}, { signal })
  if (items.some((item) => item.displayName === displayName && item.state !== 'deleting'))
    throw new CliError('error', 'another project has this name')
}
